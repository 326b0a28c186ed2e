package io.sluice.store.cache;

/** Sizes of the cache's blocks and buffers, for all that counts in them. */
final class CacheLayout {
    static final int BLOCK_BITS = 12;
    static final int BLOCK_BYTES = 1 << BLOCK_BITS;
    static final int BLOCKS_PER_BUFFER = 512;
    static final int BUFFER_BYTES = BLOCKS_PER_BUFFER * BLOCK_BYTES;

    private CacheLayout() {}
}
