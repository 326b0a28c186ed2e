package io.sluice.store.cache;

/**
 * How large a cache may be.
 *
 * @param capacityBytes bound on everything the cache takes off the heap, its own tables included. Rounded down to whole
 *     buffers of {@link StreamingCache#BUFFER_BYTES}; at least one buffer, at most 128 GiB
 */
public record CacheConfig(long capacityBytes) {
    private static final long MAX_BYTES = 128L << 30;

    public CacheConfig {
        if (capacityBytes < StreamingCache.BUFFER_BYTES || capacityBytes > MAX_BYTES) {
            throw new IllegalArgumentException("cache capacity must be between " + StreamingCache.BUFFER_BYTES + " and "
                    + MAX_BYTES + " bytes, not " + capacityBytes);
        }
    }

    int buffers() {
        return (int) (capacityBytes / StreamingCache.BUFFER_BYTES);
    }
}
