package io.sluice.broker.scaling;

/** Hashes, or partitions of an elastic topic, from one to another; both ends included. */
public record Span(int start, int end) {
    public Span {
        if (start < 0 || end < start) {
            throw new IllegalArgumentException("no span: " + start + " to " + end);
        }
    }

    int size() {
        return end - start + 1;
    }

    boolean isStrictlyWithin(Span wider) {
        return start >= wider.start && end <= wider.end && !equals(wider);
    }

    boolean isBefore(Span next) {
        return end + 1 == next.start;
    }

    Span with(Span next) {
        return new Span(start, next.end);
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
