/** The open loop: records are due when the schedule says, whatever the server does, and latencies count from then. */
@NullMarked
package io.sluice.perf.load;

import org.jspecify.annotations.NullMarked;
