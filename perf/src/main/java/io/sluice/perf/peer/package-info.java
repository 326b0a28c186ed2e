/**
 * The systems that are compared, one class each behind {@link io.sluice.perf.peer.Contender}: fetched as published, started on
 * free loopback ports with an empty data folder, stopped by process id. Knows nothing of loads and results.
 */
@NullMarked
package io.sluice.perf.peer;

import org.jspecify.annotations.NullMarked;
