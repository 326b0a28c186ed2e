@NullMarked
package io.sluice.broker.retention;

import org.jspecify.annotations.NullMarked;
