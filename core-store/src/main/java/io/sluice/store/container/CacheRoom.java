package io.sluice.store.container;

import io.sluice.store.cache.StreamingCache;
import io.sluice.store.pressure.Pressure;
import io.sluice.store.read.ReadIndex;

/**
 * Room in the cache for appends. What the tier has may be evicted, but readers may hold it still: so room is made before
 * an append is let in, not when it is too late. Loop only.
 */
final class CacheRoom {
    private final StreamingCache cache;
    private final ReadIndex index;
    private final int entryBytes;
    private long capacity;
    private long reserve;
    private volatile int maxAppendBytes;

    CacheRoom(StreamingCache cache, ReadIndex index, int entryBytes, int maxAppendBytes) {
        this.cache = cache;
        this.index = index;
        this.entryBytes = entryBytes;
        divide(maxAppendBytes);
    }

    /** Changes the cache's capacity, and with it what is kept for an append; see {@link ReadIndex#resize}. */
    void resize(long cacheBytes, int largestAppend) {
        index.resize(cacheBytes);
        divide(largestAppend);
    }

    private void divide(int largestAppend) {
        capacity = cache.stats().capacityBytes();
        reserve = needed(largestAppend);
        maxAppendBytes = largestAppend;
        if (capacity < 2 * reserve) {
            throw new IllegalArgumentException("a cache of " + capacity + " bytes is too small for appends of "
                    + largestAppend + ": it must hold two of them");
        }
    }

    /** Most bytes of one append. Any thread. */
    int maxAppendBytes() {
        return maxAppendBytes;
    }

    /** Most bytes of cache that an append can take: each entry of the index may leave a block part-filled. */
    private long needed(int bytes) {
        return bytes + (bytes / entryBytes + 2L) * StreamingCache.BLOCK_BYTES;
    }

    /** Makes room for an append of {@code bytes}; false if there is none to be had now. */
    boolean forAppend(int bytes) {
        return free(needed(bytes));
    }

    /** Makes room for the largest append. */
    boolean forLargestAppend() {
        return free(reserve);
    }

    private boolean free(long wanted) {
        long free = cache.freeBlocks() * StreamingCache.BLOCK_BYTES;
        while (free < wanted && index.roomBytes() > free) {
            index.evict(wanted - free);
            free = cache.freeBlocks() * StreamingCache.BLOCK_BYTES;
        }
        return free >= wanted;
    }

    /** See {@link Pressure#cacheFill}, were there {@code held} bytes less. */
    double fill(double held) {
        return Pressure.cacheFill(capacity, index.roomBytes() - held, reserve);
    }
}
