package io.sluice.store.read;

import org.jspecify.annotations.Nullable;

/**
 * The entries that may be evicted, in the order in which they should go. Every operation is O(1), but for passing over at
 * most {@value #GENERATIONS} empty generations.
 *
 * <pre>
 *   catch-up:  oldest ─► ... ─► newest      first to go, first in first out
 *   g - 63  :  entries last used in that generation or before
 *     ...
 *   g       :  entries used in the current generation
 * </pre>
 */
final class EvictionOrder {
    static final int GENERATIONS = 64;

    private final CacheEntry catchUp = ring();
    private final CacheEntry[] generations = new CacheEntry[GENERATIONS];
    private long current = GENERATIONS;
    /** No entry's bucket is older. */
    private long oldest = current;

    EvictionOrder() {
        for (int i = 0; i < GENERATIONS; i++) {
            generations[i] = ring();
        }
    }

    long current() {
        return current;
    }

    /** Begins the next generation; entries that fall off the far end join the oldest one, ahead of those in it. */
    void advance() {
        current++;
        CacheEntry falling = bucket(current);
        spliceAhead(falling, bucket(current - GENERATIONS + 1));
        oldest = Math.max(oldest, current - GENERATIONS + 1);
    }

    /** Adds an entry as the last to go of its generation. */
    void add(CacheEntry entry) {
        CacheEntry ring = catchUp;
        if (!entry.catchUp) {
            long generation = Math.max(entry.generation, current - GENERATIONS + 1);
            oldest = Math.min(oldest, generation);
            ring = bucket(generation);
        }
        link(entry, ring);
    }

    void remove(CacheEntry entry) {
        CacheEntry previous = entry.previous;
        CacheEntry next = entry.next;
        if (previous == null || next == null) {
            throw new IllegalStateException("the entry at " + entry.position + " is not in the order of eviction");
        }
        previous.next = next;
        next.previous = previous;
        entry.previous = null;
        entry.next = null;
    }

    /** The catch-up entry that came first, or null. */
    @Nullable
    CacheEntry firstCatchUp() {
        return first(catchUp);
    }

    /** The first to go that was last used at or before generation {@code newest}; catch-up entries are not looked at. */
    @Nullable
    CacheEntry firstUntil(long newest) {
        while (oldest < current && first(bucket(oldest)) == null) {
            oldest++;
        }
        return oldest <= newest ? first(bucket(oldest)) : null;
    }

    private CacheEntry bucket(long generation) {
        return generations[(int) (generation % GENERATIONS)];
    }

    private static @Nullable CacheEntry first(CacheEntry ring) {
        return ring.next == ring ? null : ring.next;
    }

    private static void link(CacheEntry entry, CacheEntry ring) {
        CacheEntry last = neighbour(ring.previous);
        entry.previous = last;
        entry.next = ring;
        last.next = entry;
        ring.previous = entry;
    }

    private static void spliceAhead(CacheEntry from, CacheEntry to) {
        CacheEntry first = first(from);
        if (first == null) {
            return;
        }
        CacheEntry last = neighbour(from.previous);
        CacheEntry rest = neighbour(to.next);
        to.next = first;
        first.previous = to;
        last.next = rest;
        rest.previous = last;
        from.next = from;
        from.previous = from;
    }

    private static CacheEntry neighbour(@Nullable CacheEntry linked) {
        if (linked == null) {
            throw new IllegalStateException("a ring has come apart");
        }
        return linked;
    }

    /** An empty ring: an entry that holds no data and is its own neighbour. */
    private static CacheEntry ring() {
        CacheEntry ring = new CacheEntry(new SegmentEntries(), 0, false);
        ring.previous = ring;
        ring.next = ring;
        return ring;
    }
}
