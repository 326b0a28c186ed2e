package io.sluice.broker.scaling;

/** Hashes, or partitions of an elastic topic, from one to another; both ends included. */
public record IndexRange(int start, int end) {
    public IndexRange {
        if (start < 0 || end < start) {
            throw new IllegalArgumentException("no range: " + start + " to " + end);
        }
    }

    int size() {
        return end - start + 1;
    }

    boolean isStrictlyWithin(IndexRange wider) {
        return start >= wider.start && end <= wider.end && !equals(wider);
    }

    boolean isBefore(IndexRange next) {
        return end + 1 == next.start;
    }

    IndexRange with(IndexRange next) {
        return new IndexRange(start, next.end);
    }

    /** Where the upper one of two halves begins. */
    int middle() {
        return start + (end - start) / 2 + 1;
    }

    @Override
    public String toString() {
        return start + "-" + end;
    }
}
