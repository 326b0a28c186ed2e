package io.sluice.broker.log;

/** The entries of a companion segment, in bounded memory; see {@link OffsetIndex}. */
public final class CompanionIndex {
    final OffsetIndex index = new OffsetIndex();
    /** Offset of the last entry; 0 without one. */
    long last;

    long lastPosition;

    /**
     * @param position where the entry begins in the segment
     * @param maxTimestamp of its messages
     */
    public void add(long offset, long position, long maxTimestamp) {
        index.add(offset, position, maxTimestamp);
        last = offset;
        lastPosition = position;
    }
}
