/** Workloads in the OpenMessaging Benchmark's YAML, sweeps and suites of them. Uses no other room of perf. */
@NullMarked
package io.sluice.perf.workload;

import org.jspecify.annotations.NullMarked;
