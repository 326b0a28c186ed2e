package io.sluice.broker.scalable;

/** Hashes of keys, both ends included, 0 to {@link #MAX}. */
public record HashRange(int start, int end) {
    public static final int MAX = 0xffff;
    public static final HashRange ALL = new HashRange(0, MAX);

    public HashRange {
        if (start < 0 || end > MAX || start > end) {
            throw new IllegalArgumentException("no range of hashes: " + start + " to " + end);
        }
    }

    public int size() {
        return end - start + 1;
    }

    boolean isBefore(HashRange next) {
        return end + 1 == next.start;
    }

    boolean overlaps(HashRange other) {
        return start <= other.end && other.start <= end;
    }

    HashRange lower() {
        return new HashRange(start, start + (end - start) / 2);
    }

    HashRange upper() {
        return new HashRange(lower().end + 1, end);
    }

    /** With the one that begins where this ends. */
    HashRange with(HashRange next) {
        return new HashRange(start, next.end);
    }

    @Override
    public String toString() {
        return "%04x-%04x".formatted(start, end);
    }
}
