/** Rates that policies set of topics. */
@NullMarked
package io.sluice.pulsar.rates;

import org.jspecify.annotations.NullMarked;
