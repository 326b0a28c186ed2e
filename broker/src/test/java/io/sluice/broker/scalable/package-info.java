@NullMarked
package io.sluice.broker.scalable;

import org.jspecify.annotations.NullMarked;
