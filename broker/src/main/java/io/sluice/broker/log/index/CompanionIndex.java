package io.sluice.broker.log.index;

/** The entries of a companion segment, in bounded memory; see {@link OffsetIndex}. */
public final class CompanionIndex {
    private final OffsetIndex points = new OffsetIndex();
    private long last;
    private long lastPosition;

    /**
     * @param position where the entry begins in the segment
     * @param maxTimestamp of its messages
     */
    public void add(long offset, long position, long maxTimestamp) {
        points.add(offset, position, maxTimestamp);
        last = offset;
        lastPosition = position;
    }

    public OffsetIndex points() {
        return points;
    }

    /** Offset of the last entry; 0 without one. */
    public long last() {
        return last;
    }

    /** Position of the last entry in the segment; 0 without one. */
    public long lastPosition() {
        return lastPosition;
    }
}
