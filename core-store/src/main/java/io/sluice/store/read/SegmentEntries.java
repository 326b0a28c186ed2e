package io.sluice.store.read;

import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The cached ranges of one segment by position; they never overlap. */
final class SegmentEntries {
    private final TreeMap<Long, CacheEntry> byPosition = new TreeMap<>();

    /** Past every byte that was ever cached. */
    long end;
    /** Bytes below are in the tier. */
    long tiered;
    /** The entry that grows with the next append; null if that starts a new one. */
    @Nullable
    CacheEntry tail;

    void add(CacheEntry entry) {
        byPosition.put(entry.position, entry);
        end = Math.max(end, entry.end());
    }

    void remove(CacheEntry entry) {
        byPosition.remove(entry.position);
        if (entry == tail) {
            tail = null;
        }
    }

    /** The entry that holds {@code position}, or null. */
    @Nullable
    CacheEntry holding(long position) {
        CacheEntry growing = tail; // where most reads are
        if (growing != null && growing.position <= position && position < growing.end()) {
            return growing;
        }
        Map.Entry<Long, CacheEntry> entry = byPosition.floorEntry(position);
        return entry != null && position < entry.getValue().end() ? entry.getValue() : null;
    }

    /** The entry that holds {@code position}, or the next one above it. */
    @Nullable
    CacheEntry holdingOrAbove(long position) {
        CacheEntry holding = holding(position);
        return holding != null ? holding : above(position);
    }

    /** The entry that starts at {@code position}, or null. */
    @Nullable
    CacheEntry startingAt(long position) {
        return byPosition.get(position);
    }

    /** The first entry that starts past {@code position}. */
    @Nullable
    CacheEntry above(long position) {
        Map.Entry<Long, CacheEntry> entry = byPosition.higherEntry(position);
        return entry == null ? null : entry.getValue();
    }

    @Nullable
    CacheEntry first() {
        Map.Entry<Long, CacheEntry> entry = byPosition.firstEntry();
        return entry == null ? null : entry.getValue();
    }

    Collection<CacheEntry> all() {
        return byPosition.values();
    }
}
