package io.sluice.store.tier;

import io.netty.buffer.ByteBuf;
import io.sluice.store.segment.Durable;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The container as its {@link Tier} sees it. Loop only, except {@link #post}. */
public interface TierHost {
    int container();

    long term();

    /** The next object number, never handed out before in this container's life (the term is part of it). */
    long nextObject();

    /** Calls {@code each} for every segment that has durable bytes the tier lacks. No order. Cheap: dirty ones only. */
    void forEachDirty(Consumer<Dirty> each);

    /** Bytes that are durable in the log and not yet in the tier, over all segments. */
    long untieredBytes();

    /** From 0 (nothing to do) to 1 and above (writers are being pushed back): how urgent flushing is. */
    double flushPressure();

    /** Pinned bytes from the cache; never null for a durable, untiered range (such bytes are not evicted). May be shorter. */
    @Nullable
    ByteBuf pin(long segment, long position, int length);

    /** Sequences the intent to write {@code object}; upload only after it is durable, so that nothing is orphaned. */
    void sequenceIntent(long object, Durable done);

    /**
     * Sequences the commit: from now on the ranges are read from the object and their log space may go. Ranges of one
     * segment must continue its tiered length without a gap; ranges of segments deleted since are dropped.
     */
    void sequenceCommit(long object, List<TierRange> ranges, Durable done);

    /**
     * Objects that are neither referenced nor being written: intents of earlier terms, and those whose ranges all went, durably:
     * a crash must not bring back a reference to an object that is gone.
     */
    List<Long> garbage();

    /** Sequences that these objects are gone from the store. */
    void sequenceCollected(List<Long> objects, Durable done);

    /** Ids of all segments, rising; a copy. */
    long[] segments();

    /** A segment's ranges, lowest first, the first perhaps beginning below its start; a view. Empty if there are none. */
    List<TierRange> manifest(long segment);

    /** How often the bytes in {@code object} were rewritten: 0 for what {@link #sequenceCommit} brought. */
    int generation(long object);

    /**
     * Sequences a merge: from now on each range is read from {@code object} instead of the ranges that held its bytes,
     * which must have been whole and neighbours. As with a commit, the intent must be durable and the object stored;
     * ranges of segments deleted or truncated since are dropped.
     */
    void sequenceMerge(long object, List<TierRange> ranges, Durable done);

    /**
     * Sequences that a segment grows by {@code range}, bytes that the log never had. As with a commit, the intent must be durable
     * and the object stored; the range of a segment deleted since is dropped.
     */
    void sequenceAppend(long object, TierRange range, Durable done);

    /** The range that holds {@code position}; null if none does. */
    @Nullable
    TierRange tiered(long segment, long position);

    /** The first position from {@code position} on that is in the cache; {@link Long#MAX_VALUE} if none is. */
    long cachedFrom(long segment, long position);

    /** Most bytes of the cache that what is read back may fill. */
    long catchUpBytes();

    /** Runs on the loop soon; any thread. Dropped if the container has stopped. */
    void post(Runnable onLoop);

    /**
     * A durable range not yet in the tier.
     *
     * @param from first untiered position (or the segment's start, if truncated beyond)
     * @param to durable length
     * @param since when the oldest of these bytes became durable, milliseconds since the epoch
     */
    record Dirty(long segment, long from, long to, long since) {}
}
