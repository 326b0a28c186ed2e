/**
 * Leaves of a partition the newest record of each key. {@link io.sluice.broker.compaction.CompactionPolicy} says when (pure), {@link
 * io.sluice.broker.compaction.LogCompactionJob} does it once, {@link io.sluice.broker.compaction.CompactionScheduler} goes round.
 * {@link io.sluice.broker.compaction.ViewCompactionQueue} keeps what is left beside the log instead, where somebody asks. What entries mean
 * is a protocol's business: {@link io.sluice.broker.compaction.KeyedEntries}. May use {@code topic}, {@code log}, {@code subscription} and
 * {@code entry}.
 */
@NullMarked
package io.sluice.broker.compaction;

import org.jspecify.annotations.NullMarked;
