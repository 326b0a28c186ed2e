package io.sluice.pulsar.dispatch;

import java.util.HashMap;
import java.util.Map;
import org.roaringbitmap.RoaringBitmap;

/**
 * Offsets of a partition's entries whose time has not come, in compressed bitmaps, so that dispatch passes over them without a look at the
 * log. Bounded by {@link DelayMemory}: what finds no room is not here, and is read and passed over. Loop only.
 */
final class PendingOffsets {
    private static final int BITS = 31;
    private static final long SIZE = 1L << BITS;
    private static final int MEASURE_EVERY = 1_024;

    private final DelayMemory memory;
    private final Map<Long, RoaringBitmap> bitmaps = new HashMap<>(2);
    private long bytes;
    private int sinceMeasured;
    private boolean full;

    PendingOffsets(DelayMemory memory) {
        this.memory = memory;
    }

    boolean isEmpty() {
        return bitmaps.isEmpty();
    }

    void add(long base, int offsets) {
        if (!full) {
            forEachPart(
                    base,
                    base + offsets,
                    (number, from, to) -> bitmaps.computeIfAbsent(number, key -> new RoaringBitmap())
                            .add(from, to));
        }
        changed();
    }

    void remove(long base, int offsets) {
        forEachPart(base, base + offsets, (number, from, to) -> {
            RoaringBitmap bitmap = bitmaps.get(number);
            if (bitmap != null) {
                bitmap.remove(from, to);
                if (bitmap.isEmpty()) {
                    bitmaps.remove(number);
                }
            }
        });
        changed();
    }

    boolean contains(long offset) {
        RoaringBitmap bitmap = bitmaps.get(offset >>> BITS);
        return bitmap != null && bitmap.contains((int) (offset & (SIZE - 1)));
    }

    /** {@code offset} if it is not here, else the next that is not. */
    long after(long offset) {
        long at = offset;
        for (RoaringBitmap bitmap = bitmaps.get(at >>> BITS); bitmap != null; bitmap = bitmaps.get(at >>> BITS)) {
            long start = at & -SIZE;
            long absent = bitmap.nextAbsentValue((int) (at - start));
            at = start + Math.min(absent, SIZE);
            if (absent < SIZE) {
                return at;
            }
        }
        return at;
    }

    /** How many lie in {@code [from, to)}. */
    long count(long from, long to) {
        long[] count = {0};
        if (!isEmpty()) {
            forEachPart(from, to, (number, first, last) -> {
                RoaringBitmap bitmap = bitmaps.get(number);
                count[0] += bitmap == null ? 0 : bitmap.rangeCardinality(first, last);
            });
        }
        return count[0];
    }

    void clear() {
        bitmaps.clear();
        measure();
    }

    private interface Part {
        /** Takes {@code [from, to)} in the bitmap of this number. */
        void accept(long number, long from, long to);
    }

    private static void forEachPart(long from, long to, Part part) {
        for (long at = from; at < to; ) {
            long start = at & -SIZE;
            long end = Math.min(to, start + SIZE);
            part.accept(at >>> BITS, at - start, end - start);
            at = end;
        }
    }

    private void changed() {
        if (++sinceMeasured >= MEASURE_EVERY || isEmpty()) {
            measure();
        }
    }

    private void measure() {
        sinceMeasured = 0;
        long now = 0;
        for (RoaringBitmap bitmap : bitmaps.values()) {
            now += bitmap.getLongSizeInBytes();
        }
        full = !memory.changeBitmaps(now - bytes) && now > 0;
        bytes = now;
    }
}
