package io.sluice.broker.log.read;

import io.sluice.broker.log.index.OffsetIndex;
import io.sluice.broker.log.index.OffsetIndex.Point;
import io.sluice.broker.log.state.Offsets;
import java.util.Arrays;

/**
 * Where readers will go on: exact places in the part of the log where the index is coarse, so that reading in sequence
 * searches once. The last few are kept.
 */
final class ReadPositionHints {
    private static final int KEPT = 16;

    private static final long[] NONE = {};

    private long[] offsets = NONE;
    private long[] positions = NONE;
    private int next;
    private int layout;

    /** @param layout of the partition now: places of an earlier one are forgotten. See {@link Offsets#layout} */
    void add(int layout, long offset, long position) {
        checkLayout(layout);
        if (offsets.length == 0) {
            offsets = new long[KEPT];
            positions = new long[KEPT];
            Arrays.fill(offsets, Long.MAX_VALUE);
        }
        offsets[next] = offset;
        positions[next] = position;
        next = (next + 1) % KEPT;
    }

    /**
     * The last known beginning of an entry at or below {@code offset}. What was dropped from the log is dropped from the
     * index, so a place before its first point never wins.
     */
    Point nearest(int layout, OffsetIndex index, long offset) {
        checkLayout(layout);
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

    private void checkLayout(int now) {
        if (now != layout) {
            layout = now;
            Arrays.fill(offsets, Long.MAX_VALUE);
        }
    }
}
