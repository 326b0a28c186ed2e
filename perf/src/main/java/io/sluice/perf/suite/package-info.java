/** Named lists of workloads, after the published comparisons whose shapes they have. Uses workloads only. */
@NullMarked
package io.sluice.perf.suite;

import org.jspecify.annotations.NullMarked;
