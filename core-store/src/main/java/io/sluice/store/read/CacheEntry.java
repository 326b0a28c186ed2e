package io.sluice.store.read;

import org.jspecify.annotations.Nullable;

/** A cached range of a segment, and its place in the order of eviction. */
final class CacheEntry {
    final SegmentEntries segment;
    final long position;
    /** Read back from the tier for a reader that is behind: evicted before everything else. */
    final boolean catchUp;

    int address;
    int length;
    /** In which it was last read or grew. */
    long generation;
    /** Neighbours in {@link EvictionOrder}; null while the entry is held. */
    @Nullable
    CacheEntry previous;

    @Nullable
    CacheEntry next;

    CacheEntry(SegmentEntries segment, long position, boolean catchUp) {
        this.segment = segment;
        this.position = position;
        this.catchUp = catchUp;
    }

    long end() {
        return position + length;
    }

    boolean evictable() {
        return next != null;
    }
}
