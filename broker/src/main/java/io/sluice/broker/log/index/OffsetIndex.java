package io.sluice.broker.log.index;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.Packed;
import java.util.Arrays;

/**
 * From offsets, positions and times to entries, in bounded memory. Each point is the beginning of an entry and covers all
 * entries up to the next point. The newest {@link #EXACT} entries have a point each; older ones share points that are at
 * least {@code gap} bytes apart, a gap that doubles when the index is full.
 *
 * <p>Nothing is decided by it, so it need not be the same after recovery; a coarser one only means longer scans.
 */
public final class OffsetIndex {
    public static final int EXACT = 64;
    /** Points at most, 32 bytes each. A partition of a few MB has a fifth of them. */
    public static final int CAPACITY = 576;

    private static final long FIRST_GAP = 64 << 10;

    private long[] offsets = new long[4];
    private long[] positions = new long[4];
    /** Largest timestamp of the entries a point covers, and the base offset of the entry that has it. */
    private long[] maxTimestamps = new long[4];

    private long[] maxOffsets = new long[4];
    private int size;
    private long gap = FIRST_GAP;

    /** A point of the index: a whole entry begins at {@code position}, with {@code offset}. */
    public record Point(long offset, long position) {}

    public int size() {
        return size;
    }

    public void add(long offset, long position, long maxTimestamp) {
        add(offset, position, maxTimestamp, offset);
    }

    private void add(long offset, long position, long maxTimestamp, long maxOffset) {
        if (size == offsets.length) {
            makeRoom();
        }
        offsets[size] = offset;
        positions[size] = position;
        maxTimestamps[size] = maxTimestamp;
        maxOffsets[size] = maxOffset;
        size++;
    }

    private void makeRoom() {
        if (size >= 2 * EXACT) {
            merge(size - EXACT);
        }
        while (size > CAPACITY - EXACT) {
            gap *= 2;
            merge(size - EXACT);
        }
        if (size > offsets.length / 4 * 3) {
            grow();
        }
    }

    private void grow() {
        int wanted = Math.min(CAPACITY, offsets.length * 2);
        offsets = Arrays.copyOf(offsets, wanted);
        positions = Arrays.copyOf(positions, wanted);
        maxTimestamps = Arrays.copyOf(maxTimestamps, wanted);
        maxOffsets = Arrays.copyOf(maxOffsets, wanted);
    }

    /** Merges points below {@code until} that are closer than the gap to the one kept before them. */
    private void merge(int until) {
        int kept = 0;
        for (int i = 1; i < size; i++) {
            if (i < until && positions[i] - positions[kept] < gap) {
                cover(kept, i);
            } else {
                move(i, ++kept);
            }
        }
        size = Math.min(size, kept + 1);
    }

    private void cover(int by, int point) {
        if (maxTimestamps[point] > maxTimestamps[by]) {
            maxTimestamps[by] = maxTimestamps[point];
            maxOffsets[by] = maxOffsets[point];
        }
    }

    private void move(int from, int to) {
        offsets[to] = offsets[from];
        positions[to] = positions[from];
        maxTimestamps[to] = maxTimestamps[from];
        maxOffsets[to] = maxOffsets[from];
    }

    private int floor(long[] of, long value) {
        int i = Arrays.binarySearch(of, 0, size, value);
        return i >= 0 ? i : -i - 2;
    }

    /** The last point at or below {@code offset}; the first one where what lay before it was compacted away. There must be one. */
    public Point atOrBelow(long offset) {
        if (size == 0) {
            throw new IllegalStateException("no entry is known at or below offset " + offset);
        }
        int i = Math.max(0, floor(offsets, offset));
        return new Point(offsets[i], positions[i]);
    }

    /** Index of the last point at or below {@code position}, or -1. */
    public int floorPosition(long position) {
        return floor(positions, position);
    }

    /** Index of the last point at or below {@code offset}, or -1. */
    public int floorOffset(long offset) {
        return floor(offsets, offset);
    }

    public long offset(int point) {
        return offsets[point];
    }

    /** Largest timestamp of all entries that the point covers. */
    public long maxTimestamp(int point) {
        return maxTimestamps[point];
    }

    /** Base offset of the entry that has {@link #maxTimestamp}. */
    public long maxOffset(int point) {
        return maxOffsets[point];
    }

    public long position(int point) {
        return positions[point];
    }

    /** The first point from {@code point} on whose entries reach {@code timestamp}; {@link #size} if none does. */
    public int firstReaching(long timestamp, int point) {
        int i = Math.max(0, point);
        while (i < size && maxTimestamps[i] < timestamp) {
            i++;
        }
        return i;
    }

    /**
     * The point after those from the first on whose entries are all older than {@code timestamp}; {@link #size} if all are.
     * Entries without a timestamp (a negative one) go with older ones behind them.
     */
    public int firstYoungerThan(long timestamp) {
        int young = 0;
        for (int i = 0; i < size && maxTimestamps[i] < timestamp; i++) {
            young = maxTimestamps[i] < 0 ? young : i + 1;
        }
        return young;
    }

    /** The point that covers the entry with the largest timestamp, or -1. */
    public int latest() {
        int best = -1;
        for (int i = 0; i < size; i++) {
            if (best < 0 || maxTimestamps[i] > maxTimestamps[best]) {
                best = i;
            }
        }
        return best;
    }

    /**
     * Forgets what lies before ({@code offset}, {@code position}), the beginning of an entry or the end of the log. The
     * point that covers it is cut to begin there; if its newest entry is gone, the one at the cut stands in for it.
     */
    public void dropBefore(long offset, long position) {
        int first = floor(positions, position);
        if (first < 0) {
            return;
        }
        offsets[first] = offset;
        positions[first] = position;
        maxOffsets[first] = Math.max(maxOffsets[first], offset);
        int kept = 0;
        for (int i = first; i < size; i++) {
            move(i, kept++);
        }
        size = kept;
    }

    /** Puts {@code before} in the place of what it knows below {@code offset}, where an entry begins at {@code position}. */
    public void replaceBefore(long offset, long position, OffsetIndex before, long shift) {
        dropBefore(offset, position);
        OffsetIndex joined = new OffsetIndex();
        joined.gap = gap;
        joined.addAll(before, shift);
        joined.addAll(this, 0);
        offsets = joined.offsets;
        positions = joined.positions;
        maxTimestamps = joined.maxTimestamps;
        maxOffsets = joined.maxOffsets;
        size = joined.size;
        gap = joined.gap;
    }

    private void addAll(OffsetIndex other, long shift) {
        for (int i = 0; i < other.size; i++) {
            add(other.offsets[i], other.positions[i] + shift, other.maxTimestamps[i], other.maxOffsets[i]);
        }
    }

    public void clear() {
        size = 0;
    }

    /** Writes points at least 64 KiB apart, so a small partition has one. */
    public void snapshot(ByteBuf out) {
        OffsetIndex coarse = new OffsetIndex();
        coarse.offsets = Arrays.copyOf(offsets, Math.max(4, size));
        coarse.positions = Arrays.copyOf(positions, Math.max(4, size));
        coarse.maxTimestamps = Arrays.copyOf(maxTimestamps, Math.max(4, size));
        coarse.maxOffsets = Arrays.copyOf(maxOffsets, Math.max(4, size));
        coarse.size = size;
        coarse.gap = gap;
        coarse.merge(size);
        coarse.write(out);
    }

    private void write(ByteBuf out) {
        Packed.writeUnsigned(out, gap);
        Packed.writeUnsigned(out, size);
        long offset = 0;
        long position = 0;
        long time = 0;
        for (int i = 0; i < size; i++) {
            Packed.writeUnsigned(out, offsets[i] - offset);
            Packed.writeUnsigned(out, positions[i] - position);
            Packed.writeSigned(out, maxTimestamps[i] - time);
            Packed.writeUnsigned(out, maxOffsets[i] - offsets[i]);
            offset = offsets[i];
            position = positions[i];
            time = maxTimestamps[i];
        }
    }

    public static OffsetIndex restore(ByteBuf in) {
        OffsetIndex index = new OffsetIndex();
        index.gap = Packed.readUnsigned(in);
        long offset = 0;
        long position = 0;
        long time = 0;
        for (int n = Packed.readCount(in); n > 0; n--) {
            offset += Packed.readUnsigned(in);
            position += Packed.readUnsigned(in);
            time += Packed.readSigned(in);
            index.add(offset, position, time, offset + Packed.readUnsigned(in));
        }
        return index;
    }
}
