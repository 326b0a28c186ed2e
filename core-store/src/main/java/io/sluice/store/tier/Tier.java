package io.sluice.store.tier;

import io.netty.buffer.ByteBuf;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.ReadReply;

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
     * Reads from {@code position} on, which lies in a range the manifest names, and from those that follow it; replies on the
     * loop, with less than was asked for where the tier ends or memory is short. Bytes are checked before they are delivered.
     * Concurrent reads are bounded: what is over the bound waits its turn.
     */
    void read(long segment, TierRange range, long position, int maxBytes, ReadReply reply);

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

    /** Starts no more work; uploads in flight are abandoned (their intents are collected by the next term). */
    void close();
}
