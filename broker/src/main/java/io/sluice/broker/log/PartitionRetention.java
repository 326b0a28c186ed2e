package io.sluice.broker.log;

import io.sluice.store.segment.Durable;

/** Deletion of a partition's oldest entries. Loop only. */
public interface PartitionRetention {
    /**
     * The lowest offset that stays when entries may go that are older than a timestamp, and those beyond so many bytes at
     * the end; the beginning of an entry, or the end. By an index that knows older entries in runs: it never lets go too much.
     *
     * @param olderThan whole runs of entries go from the start on while all their timestamps are below this
     * @param bytes the newest that stay at least; more than there are keeps all
     */
    long firstKept(long olderThan, long bytes);

    /**
     * Moves {@link PartitionLog#startOffset} up, durably; offsets below it are gone. Above {@link PartitionLog#durableEnd} is the caller's
     * error.
     */
    void deleteBefore(long offset, Durable done);

    /** Lets go, in the background, of segments in other containers of which nothing is left, and have not been deleted yet. */
    void removeElsewhere();
}
