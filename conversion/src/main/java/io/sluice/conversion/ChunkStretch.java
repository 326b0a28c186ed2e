package io.sluice.conversion;

import java.util.ArrayDeque;
import java.util.Iterator;

/** Places of all chunks between two offsets of a partition. For one thread at a time. */
final class ChunkStretch {
    /**
     * A chunk.
     *
     * @param position bytes of entries before it, from a point that means nothing
     * @param message {@link ChunkedMessage#idOf}
     */
    record Place(long offset, long position, long message, int chunk) {}

    private final long partition;
    private final ArrayDeque<Place> places = new ArrayDeque<>();
    private long from;
    private long to;
    private long low;
    private long high;
    private long start;

    /** Nothing, at an offset. */
    ChunkStretch(long partition, long at) {
        this.partition = partition;
        this.from = at;
        this.to = at;
    }

    long partition() {
        return partition;
    }

    /** First offset. */
    long from() {
        return from;
    }

    /** Offset behind the last one. */
    long to() {
        return to;
    }

    boolean covers(long offset) {
        return from <= offset && offset < to;
    }

    /** Bytes of its entries. */
    long bytes() {
        return high - low;
    }

    int size() {
        return places.size();
    }

    /** Position of the first entry. */
    long low() {
        return low;
    }

    /** Whether nothing of the partition lies before it. */
    boolean beginsAtStart() {
        return from <= start;
    }

    /** Remembers the partition's first offset, which only grows. */
    void setStart(long offset) {
        start = Math.max(start, offset);
    }

    /** Adds a chunk at the end; {@link #append} of its entry follows. */
    void addPlace(long offset, long message, int chunk) {
        places.addLast(new Place(offset, high, message, chunk));
    }

    /** Adds an entry at the end. @param next offset behind it */
    void append(int bytes, long next) {
        high += bytes;
        to = next;
    }

    /** Ends there; no entry lies in between. */
    void extendTo(long offset) {
        to = offset;
    }

    /** Adds the stretch that ends where this one begins. */
    void prepend(ChunkStretch lower) {
        if (lower.to != from) {
            throw new IllegalArgumentException("ends at " + lower.to + ", not at " + from);
        }
        long shift = low - lower.high;
        for (Iterator<Place> each = lower.places.descendingIterator(); each.hasNext(); ) {
            Place place = each.next();
            places.addFirst(new Place(place.offset, place.position + shift, place.message, place.chunk));
        }
        from = lower.from;
        low -= lower.bytes();
        start = Math.max(start, lower.start);
    }

    /** From the last to the first. */
    Iterator<Place> fromLast() {
        return places.descendingIterator();
    }

    /** Position of a chunk, or of the end; -1 if there is no chunk at the offset. */
    long positionOf(long offset) {
        if (offset == to) {
            return high;
        }
        for (Iterator<Place> each = fromLast(); each.hasNext(); ) {
            Place place = each.next();
            if (place.offset <= offset) {
                return place.offset == offset ? place.position : -1;
            }
        }
        return -1;
    }

    /** Forgets its beginning until it is within both limits, or has no chunks. */
    void trim(int mostPlaces, long mostBytes) {
        while (!places.isEmpty() && (places.size() > mostPlaces || bytes() > mostBytes)) {
            places.removeFirst();
            Place first = places.peekFirst();
            from = first == null ? to : first.offset;
            low = first == null ? high : first.position;
        }
    }
}
