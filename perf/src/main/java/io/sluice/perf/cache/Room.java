package io.sluice.perf.cache;

import io.sluice.store.cache.StreamingCache;

/**
 * Capacity that a test needs of a cache.
 *
 * @param keys bound on keys
 * @param entries at most so many at a time
 * @param entryBytes length of each
 */
record Room(int keys, int entries, int entryBytes) {
    private static final int BLOCKS_PER_BUFFER = StreamingCache.BUFFER_BYTES / StreamingCache.BLOCK_BYTES;
    /** For caches of buffers with a table in each: one more than is filled, so that none is ever full. */
    private static final int SPARE_BUFFERS = 1;

    Room {
        if (keys < 1 || entries < 1 || entryBytes < 1) {
            throw new IllegalArgumentException("a cache of nothing cannot be measured");
        }
    }

    long payloadBytes() {
        return (long) entries * entryBytes;
    }

    /** Whole blocks, and whole buffers with their tables. */
    long blockCacheBytes() {
        long blocksPerEntry = Math.ceilDiv(entryBytes, StreamingCache.BLOCK_BYTES);
        long buffers = entries * blocksPerEntry / (BLOCKS_PER_BUFFER - 1) + 1 + SPARE_BUFFERS;
        return buffers * StreamingCache.BUFFER_BYTES;
    }
}
