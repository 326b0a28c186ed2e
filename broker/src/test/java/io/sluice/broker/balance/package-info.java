@NullMarked
package io.sluice.broker.balance;

import org.jspecify.annotations.NullMarked;
