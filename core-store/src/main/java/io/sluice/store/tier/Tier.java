package io.sluice.store.tier;

import io.netty.buffer.ByteBuf;
import io.sluice.store.segment.Durable;

/**
 * Long-term storage of one container, as the container sees it. The tiering module implements it.
 *
 * <pre>
 *   doWork: decide (what to flush, pure) ─► do (upload, virtual thread) ─► retire (sequence the commit, on the loop)
 * </pre>
 *
 * <p>All methods are called on the container's loop; none blocks.
 */
public interface Tier {
    /**
     * Starts what is due and retires what is done.
     *
     * @return how much was done; 0 means the loop may idle
     */
    int doWork(long now);

    /**
     * Reads from {@code position} on, which lies in a range the manifest names and was not in the cache, and from the ranges that
     * follow; replies on the loop, perhaps before this returns, with less than was asked for where the tier or the gap in the cache
     * ends or memory is short, with more where that is good for the reads to come. Bytes are checked before they are delivered.
     * Concurrent reads are bounded: what is over the bound waits its turn, and is declined as {@link
     * io.sluice.store.segment.StoreFailure.Overloaded} where too many wait. Where the bytes are is looked up when it is its turn.
     */
    void read(long segment, long position, int maxBytes, TierReply reply);

    /**
     * Stores bytes that the log never had as the next ones of a segment, however long that takes: intent, object, {@link
     * TierHost#sequenceAppend}. One at a time for a segment.
     *
     * @param position the segment's length, all of which is in the tier
     * @param bytes taken over; up to {@link io.sluice.store.segment.SegmentContainer#MOST_STORED_BYTES}
     * @param done told once: when they are a part of the segment, durably, or when the term ends
     */
    void append(long segment, long position, ByteBuf bytes, Durable done);

    /**
     * How much memory there is from now on. One that keeps nothing in memory has nothing to do.
     *
     * @param room bytes of cache and log for what the tier lacks
     * @param readAhead bytes for what sequential readers will want next
     */
    default void resize(long room, long readAhead) {}

    /** Starts no more work and answers all reads; uploads in flight are abandoned (their intents are collected by the next term). */
    void close();
}
