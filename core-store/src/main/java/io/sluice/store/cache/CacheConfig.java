package io.sluice.store.cache;

/**
 * How large a cache may be.
 *
 * @param capacityBytes bound on everything the cache takes off the heap, its own tables included. Rounded down to whole
 *     buffers of {@link StreamingCache#BUFFER_BYTES}; at least one buffer, at most 128 GiB
 * @param mostBytes the most that {@link StreamingCache#resize} may make of it, at least {@code capacityBytes}: addresses are
 *     reserved for so much, memory is not
 */
public record CacheConfig(long capacityBytes, long mostBytes) {
    private static final long MAX_BYTES = 128L << 30;

    public CacheConfig {
        checkRange(capacityBytes);
        if (mostBytes < capacityBytes || mostBytes > MAX_BYTES) {
            throw new IllegalArgumentException(
                    "a cache of " + capacityBytes + " bytes cannot have at most " + mostBytes);
        }
    }

    /** A cache whose size never changes. */
    public CacheConfig(long capacityBytes) {
        this(capacityBytes, capacityBytes);
    }

    private static void checkRange(long capacityBytes) {
        if (capacityBytes < CacheLayout.BUFFER_BYTES || capacityBytes > MAX_BYTES) {
            throw new IllegalArgumentException("cache capacity must be between " + CacheLayout.BUFFER_BYTES + " and "
                    + MAX_BYTES + " bytes, not " + capacityBytes);
        }
    }

    /** Whole buffers in {@code capacityBytes}. */
    static int buffers(long capacityBytes) {
        checkRange(capacityBytes);
        return (int) (capacityBytes / CacheLayout.BUFFER_BYTES);
    }
}
