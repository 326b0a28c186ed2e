package io.sluice.broker.log;

import io.sluice.broker.log.index.CompanionIndex;
import io.sluice.store.segment.Durable;

/**
 * Compacted beginning of a partition, for readers that ask for it. It stands beside the log, which keeps everything for
 * everybody else, and outlives what retention deletes there. Entries have the offsets that they have in the log. Loop only.
 *
 * <pre>
 *   view  ▪ ▪▪  ▪    ▪▪ ▪ │ horizon
 *   log         ──────────┼──────────────► open
 *               start     who reads the view goes on here
 * </pre>
 */
public interface CompactedView {
    /** Offset below which the view has what is left; at most the readable end. 0 if there is no view. */
    long horizon();

    /** Base offset of the last entry in it; -1 if it has none. */
    long last();

    long sizeBytes();

    /** Whether it has bytes in another container than the partition's. */
    boolean liesElsewhere();

    /** Changes whenever another view takes the place of this one. */
    int generation();

    /**
     * As {@link PartitionLog#read}, of the view alone: from the entry that contains {@code offset} or the next one on. At the end if there
     * is none up to the horizon; never out of range.
     */
    void read(long offset, int maxBytes, EntriesReply reply);

    /**
     * A companion segment of the partition's container.
     *
     * @param segment complete and durable
     * @param length all of it, bytes; it is not kept if it is empty
     * @param index its entries, positions in it
     */
    record Companion(long segment, long length, CompanionIndex index) {}

    /**
     * Puts another view in the place of this one, whose companion is deleted. Fails if this is not the one of {@code generation} any more.
     *
     * @param horizon beginning of an entry, or the readable end
     */
    void replace(Companion by, long horizon, int generation, Durable done);

    /** Deletes the view: all readers find what the log has. */
    void drop(Durable done);
}
