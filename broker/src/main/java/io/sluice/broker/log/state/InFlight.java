package io.sluice.broker.log.state;

import java.util.Arrays;

/** Appends that are sequenced and not durable: where each ends. A ring that grows; bounded by the bytes in flight. */
final class InFlight {
    private long[] positions = new long[8];
    private long[] offsets = new long[8];
    private int head;
    private int size;

    boolean isEmpty() {
        return size == 0;
    }

    void add(long endPosition, long endOffset) {
        if (size == positions.length) {
            grow();
        }
        int slot = (head + size) & (positions.length - 1);
        positions[slot] = endPosition;
        offsets[slot] = endOffset;
        size++;
    }

    private void grow() {
        long[] widerPositions = Arrays.copyOf(positions, size * 2);
        long[] widerOffsets = Arrays.copyOf(offsets, size * 2);
        for (int i = 0; i < size; i++) {
            int slot = (head + i) & (positions.length - 1);
            widerPositions[i] = positions[slot];
            widerOffsets[i] = offsets[slot];
        }
        positions = widerPositions;
        offsets = widerOffsets;
        head = 0;
    }

    /** Takes out what ends at or before {@code position}; returns the end offset of the last one, or {@code otherwise}. */
    long durableTo(long position, long otherwise) {
        long end = otherwise;
        while (size > 0 && positions[head] <= position) {
            end = offsets[head];
            head = (head + 1) & (positions.length - 1);
            size--;
        }
        return end;
    }
}
