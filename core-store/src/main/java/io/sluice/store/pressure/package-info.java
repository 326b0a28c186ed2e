/**
 * How hard writers are pushed back: a pure function of tier lag, cache fill, log length and bytes in flight.
 */
@NullMarked
package io.sluice.store.pressure;

import org.jspecify.annotations.NullMarked;
