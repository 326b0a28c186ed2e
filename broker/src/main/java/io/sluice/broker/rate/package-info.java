/** Rates, and the bucket that keeps to one. Pure; knows nothing of what is counted. */
@NullMarked
package io.sluice.broker.rate;

import org.jspecify.annotations.NullMarked;
