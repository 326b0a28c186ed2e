package io.sluice.store.tier;

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
     * How much memory there is from now on. One that keeps nothing in memory has nothing to do.
     *
     * @param room bytes of cache and log for what the tier lacks
     * @param readAhead bytes for what sequential readers will want next
     */
    default void resize(long room, long readAhead) {}

    /** Starts no more work; uploads in flight are abandoned (their intents are collected by the next term). */
    void close();
}
