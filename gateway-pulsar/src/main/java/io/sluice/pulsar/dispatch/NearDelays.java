package io.sluice.pulsar.dispatch;

import io.sluice.pulsar.dispatch.DelayHeap.Key;

/**
 * The delayed entries of a partition that come next, as many as there is room for: all of them up to a horizon. What lies behind it is read
 * again from the index when few are left. Loop only.
 */
final class NearDelays {
    private final DelayHeap heap;
    private Key horizon = Key.END;

    NearDelays(DelayMemory memory) {
        heap = new DelayHeap(memory);
    }

    /** Where the first may be that is not here; {@link Key#END} if all are. */
    Key horizon() {
        return horizon;
    }

    /** Keeps the entry if it comes before the horizon, which moves closer if there is no room. */
    void add(long time, long base, int offsets) {
        while (horizon.isAfter(time, base)) {
            if (heap.add(time, base, offsets)) {
                return;
            }
            horizon = heap.removeLaterHalf();
        }
    }

    DelayHeap heap() {
        return heap;
    }

    /** Whether what lies behind the horizon is to be read. */
    boolean needsMore() {
        return horizon != Key.END && heap.size() <= heap.room() / 4;
    }

    /** Moves the horizon to the end, before all that was behind it is added. */
    void extend() {
        horizon = Key.END;
    }

    void clear() {
        heap.clear();
        horizon = Key.END;
    }
}
