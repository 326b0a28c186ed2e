package io.sluice.broker.log;

import io.sluice.broker.log.index.CompanionIndex;
import io.sluice.store.segment.Durable;
import org.jspecify.annotations.Nullable;

/** A partition as compaction sees it. Loop only. */
public interface CompactionTarget {
    /**
     * The beginning of an entry.
     *
     * @param position of the entry in the partition; only {@link #replace} knows what it means
     */
    record Boundary(long offset, long position) {}

    /** End of the compacted part; an earlier {@link Boundary}, or 0. */
    long compactedTo();

    /**
     * How far may be compacted now: not beyond what is durable and decided, nor what has a younger entry, and never the newest entry,
     * so that the end of the log has one before it.
     *
     * @param olderThan milliseconds since the epoch
     */
    Boundary cleanableTo(long olderThan);

    /** The last known beginning of an entry at or below {@code offset}. */
    Boundary boundary(long offset);

    /** Stored bytes between two offsets; about. */
    long bytesBetween(long from, long to);

    /** About how old the first entry from {@code offset} on is: milliseconds since the epoch, -1 if it is not known. */
    long timeOf(long offset);

    /** Whether bytes of the partition lie in the segment, or it is remembered to be deleted. */
    boolean has(long segment);

    /**
     * From here on what lies below {@code end} is read from a companion segment of this container instead. The segments that held it are
     * deleted. What was deleted while the companion was written does not come back with it; if that is all of it, it is refused.
     *
     * @param companion complete and durable
     * @param length all of it, bytes; more than were ever appended below {@code end} is refused
     * @param index its entries, positions in it
     */
    void replace(long companion, long length, CompanionIndex index, Boundary end, Durable done);

    /** Whether bytes of the log lie in other containers than the partition, not counting what waits to be deleted there. */
    boolean liesElsewhere();

    /**
     * The end of what lies in other containers, or the first beginning of an entry behind it that is known; null while that is not
     * durable. Only if it {@link #liesElsewhere}.
     */
    @Nullable
    Boundary elsewhereTo();

    /**
     * As {@link #replace}, by a companion that has the very bytes that lie below {@code end}: nothing counts as compacted. Refused if it
     * does not have all of them.
     */
    void gather(long companion, long length, CompanionIndex index, Boundary end, Durable done);
}
