/** Rates that policies set, and buckets that keep to them. Knows nothing of what is counted. */
@NullMarked
package io.sluice.pulsar.rates;

import org.jspecify.annotations.NullMarked;
