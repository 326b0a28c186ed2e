/**
 * {@code perf compare}: systems one after the other under the same workloads, in alternating order over rounds, and what came
 * out as ratios. Uses peer, suite, workload and result; whatever drives the load comes in as a {@link
 * io.sluice.perf.compare.LoadDriver}.
 */
@NullMarked
package io.sluice.perf.compare;

import org.jspecify.annotations.NullMarked;
