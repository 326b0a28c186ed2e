/** {@code perf compaction}: a compacted topic on Sluice and Kafka, one server after the other. Uses compare, machine and peer. */
@NullMarked
package io.sluice.perf.cleaning;

import org.jspecify.annotations.NullMarked;
