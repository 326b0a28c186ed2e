package io.sluice.store.read;

import io.sluice.store.cache.StreamingCache;

/**
 * How the read index divides the cache.
 *
 * @param maxEntryBytes a cached range is at most this long: the step in which data is evicted
 * @param catchUpShare part of the cache, 0 to 1, that data read back from the tier may take from older data at the tail
 */
public record ReadConfig(int maxEntryBytes, double catchUpShare) {
    public static final ReadConfig DEFAULT = new ReadConfig(256 << 10, 0.25);

    public ReadConfig {
        if (maxEntryBytes < StreamingCache.BLOCK_BYTES
                || maxEntryBytes > StreamingCache.MAX_ENTRY_BYTES
                || maxEntryBytes % StreamingCache.BLOCK_BYTES != 0) {
            throw new IllegalArgumentException("maxEntryBytes must be whole blocks between "
                    + StreamingCache.BLOCK_BYTES + " and " + StreamingCache.MAX_ENTRY_BYTES + ", not " + maxEntryBytes);
        }
        if (!(catchUpShare >= 0 && catchUpShare <= 1)) {
            throw new IllegalArgumentException("catchUpShare must be between 0 and 1, not " + catchUpShare);
        }
    }
}
