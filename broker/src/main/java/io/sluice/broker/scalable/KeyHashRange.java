package io.sluice.broker.scalable;

/** Hashes of keys, both ends included, 0 to {@link #MAX}. */
public record KeyHashRange(int start, int end) {
    public static final int MAX = 0xffff;
    public static final KeyHashRange ALL = new KeyHashRange(0, MAX);

    public KeyHashRange {
        if (start < 0 || end > MAX || start > end) {
            throw new IllegalArgumentException("no range of hashes: " + start + " to " + end);
        }
    }

    public int size() {
        return end - start + 1;
    }

    boolean isBefore(KeyHashRange next) {
        return end + 1 == next.start;
    }

    boolean overlaps(KeyHashRange other) {
        return start <= other.end && other.start <= end;
    }

    KeyHashRange lower() {
        return new KeyHashRange(start, start + (end - start) / 2);
    }

    KeyHashRange upper() {
        return new KeyHashRange(lower().end + 1, end);
    }

    /** With the one that begins where this ends. */
    KeyHashRange with(KeyHashRange next) {
        return new KeyHashRange(start, next.end);
    }

    @Override
    public String toString() {
        return "%04x-%04x".formatted(start, end);
    }
}
