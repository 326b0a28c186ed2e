package io.sluice.store.read;

import io.netty.buffer.ByteBuf;
import io.sluice.store.cache.StreamingCache;
import org.jspecify.annotations.Nullable;

/**
 * Which positions of a container's segments are in the cache, and what leaves it when it is full. Called on the container's
 * loop only.
 *
 * <pre>
 *   segment   start ──────────── tieredLength ─────────── end
 *             [entry][entry]  [entry][entry][entry][entry ──► append grows the last one
 *             may be evicted, oldest generation first │ held: the cache has the only copy that can be read
 * </pre>
 *
 * <p><b>Order of eviction.</b> Catch-up data first, in the order in which it came; then the oldest generation. A generation
 * is the time in which a 32nd of the cache is written; an entry belongs to the one in which it was last read or grew.
 * <b>Visibility.</b> The index knows nothing of durability: a container that appends when it sequences must cut its reads at
 * the durable length.
 */
public final class ReadIndex {
    /** The cache is the caller's to close, after {@link #clear}. */
    public ReadIndex(StreamingCache cache, ReadConfig config) {
        throw new UnsupportedOperationException();
    }

    /**
     * Caches {@code data} (borrowed, indices untouched, not empty, any size) as the segment's new end, evicting as needed.
     *
     * @param position at or past the end of everything appended before; a gap is allowed
     * @return false if there is no room because too much is held: nothing has changed, push writers back
     */
    public boolean append(long segment, long position, ByteBuf data) {
        throw new UnsupportedOperationException();
    }

    /**
     * Caches bytes read from the tier, as far as they are not cached and room can be found. {@code data} is borrowed. The
     * segment must exist; the bytes must lie below its tiered length.
     *
     * @param evictFirst for catch-up: evicted before all else, and never displaces what was used at the tail lately
     * @return bytes that were added; fewer than given is no error
     */
    public int insert(long segment, long position, ByteBuf data, boolean evictFirst) {
        throw new UnsupportedOperationException();
    }

    /**
     * Pinned bytes from {@code position}, without a copy: as many adjacent entries as {@code maxBytes} asks for.
     *
     * @return at least one byte, possibly fewer than {@code maxBytes}; the caller releases. Null if {@code position} is not cached
     */
    public @Nullable ByteBuf read(long segment, long position, int maxBytes) {
        throw new UnsupportedOperationException();
    }

    /**
     * The cached range that holds {@code position}, or else the next one above it; null if there is none. {@code from} is
     * not below {@code position}; {@code to} is found by looking {@code maxBytes} ahead at most.
     */
    public @Nullable CachedRange cached(long segment, long position, int maxBytes) {
        throw new UnsupportedOperationException();
    }

    /** Bytes below {@code upTo} are in the tier: they may be evicted from now on. Lower values than before are ignored. */
    public void tiered(long segment, long upTo) {
        throw new UnsupportedOperationException();
    }

    /** Forgets entries that lie wholly below {@code position}. */
    public void truncate(long segment, long position) {
        throw new UnsupportedOperationException();
    }

    /** Forgets the segment, which was deleted. */
    public void drop(long segment) {
        throw new UnsupportedOperationException();
    }

    /** Forgets every segment: the term is over. */
    public void clear() {
        throw new UnsupportedOperationException();
    }

    /**
     * Evicts until about {@code bytesWanted} came free, at most 64 entries per call.
     *
     * @return bytes that came free at once; 0 when nothing may be evicted or readers still hold it all
     */
    public long evict(long bytesWanted) {
        throw new UnsupportedOperationException();
    }

    /**
     * Bytes that appends can still take: free blocks and what may be evicted. Each append may take up to a block more than
     * its size. Keep it above the bytes in flight and appends never fail.
     */
    public long roomBytes() {
        throw new UnsupportedOperationException();
    }

    /** Takes back what readers released; once per turn. Returns how much was done. */
    public int reclaim() {
        throw new UnsupportedOperationException();
    }

    public ReadStats stats() {
        throw new UnsupportedOperationException();
    }
}
