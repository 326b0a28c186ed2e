/** The machine a run was made on, and what processes take of it. */
@NullMarked
package io.sluice.perf.machine;

import org.jspecify.annotations.NullMarked;
