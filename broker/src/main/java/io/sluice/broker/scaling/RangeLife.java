package io.sluice.broker.scaling;

/**
 * A range of a topic in one container, and how long it was there.
 *
 * @param from when it was first seen, by the clock of {@link KeepTopicsScaled.Context}
 * @param to when it was first missed; {@link #STILL_THERE} before that
 */
public record RangeLife(IndexRange span, int container, long from, long to) {
    public static final long STILL_THERE = Long.MAX_VALUE;
}
