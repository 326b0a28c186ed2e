package io.sluice.broker.log;

import io.sluice.broker.log.OffsetIndex.Point;
import java.util.Arrays;

/**
 * Where readers will go on: exact places in the part of the log where the index is coarse, so that reading in sequence
 * searches once. The last few are kept.
 */
final class ReadPlaces {
    private static final int KEPT = 16;

    private long[] offsets = new long[0];
    private long[] positions = new long[0];
    private int next;

    void add(long offset, long position) {
        if (offsets.length == 0) {
            offsets = new long[KEPT];
            positions = new long[KEPT];
            clear();
        }
        offsets[next] = offset;
        positions[next] = position;
        next = (next + 1) % KEPT;
    }

    void clear() {
        Arrays.fill(offsets, Long.MAX_VALUE);
    }

    /** The last known beginning of an entry at or below {@code offset}. */
    Point nearest(OffsetIndex index, long offset) {
        Point best = index.atOrBelow(offset);
        if (best.offset() == offset) {
            return best;
        }
        for (int i = 0; i < offsets.length; i++) {
            if (offsets[i] <= offset && offsets[i] > best.offset()) {
                best = new Point(offsets[i], positions[i]);
            }
        }
        return best;
    }
}
