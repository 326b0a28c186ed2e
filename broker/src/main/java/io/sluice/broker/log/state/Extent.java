package io.sluice.broker.log.state;

/**
 * A run of a partition's bytes that lie together in one segment.
 *
 * @param container where the segment is
 * @param position of the first byte in the partition
 * @param end position after the last one; {@link #OPEN} of the extent that is appended to
 * @param segment where the bytes lie
 * @param segmentPosition of the first byte in the segment
 */
public record Extent(int container, long position, long end, long segment, long segmentPosition) {
    static final long OPEN = Long.MAX_VALUE;

    /** Whether it is the one that is appended to. */
    public boolean isActive() {
        return end == OPEN;
    }

    /** Where in the segment the byte at {@code position} of the partition lies. */
    public long inSegment(long at) {
        return at - position + segmentPosition;
    }

    /** Where in the partition the byte at {@code position} of the segment lies. */
    public long inPartition(long at) {
        return at - segmentPosition + position;
    }
}
