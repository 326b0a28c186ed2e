package io.sluice.broker.subscription;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.Packed;
import java.util.Arrays;

/** A few sorted ranges of offsets that neither overlap nor touch; both ends inclusive. For many, see {@link AckedOffsets}. */
final class OffsetRanges {
    private long[] from = new long[4];
    private long[] to = new long[4];
    private int size;

    int size() {
        return size;
    }

    long from(int i) {
        return from[i];
    }

    long to(int i) {
        return to[i];
    }

    /** Index of the last range that begins at or before {@code offset}, or -1. */
    private int floor(long offset) {
        if (size > 0 && from[size - 1] <= offset) {
            return size - 1;
        }
        int i = Arrays.binarySearch(from, 0, size, offset);
        return i >= 0 ? i : -i - 2;
    }

    /** First range that touches or follows an addition beginning at {@code first}. */
    private int below(long first) {
        int i = floor(first);
        return i >= 0 && to[i] >= first - 1 ? i : i + 1;
    }

    /** One past the last range that touches an addition ending at {@code last}. */
    private int above(long last) {
        return floor(last + 1) + 1;
    }

    void add(long first, long last) {
        int low = below(first);
        int high = above(last);
        if (low >= high) {
            insert(low, first, last);
            return;
        }
        long mergedFrom = Math.min(from[low], first);
        long mergedTo = Math.max(to[high - 1], last);
        remove(low, high);
        insert(low, mergedFrom, mergedTo);
    }

    private void insert(int at, long first, long last) {
        if (size == from.length) {
            from = Arrays.copyOf(from, size * 2);
            to = Arrays.copyOf(to, size * 2);
        }
        System.arraycopy(from, at, from, at + 1, size - at);
        System.arraycopy(to, at, to, at + 1, size - at);
        from[at] = first;
        to[at] = last;
        size++;
    }

    private void remove(int first, int end) {
        if (first == end) {
            return;
        }
        System.arraycopy(from, end, from, first, size - end);
        System.arraycopy(to, end, to, first, size - end);
        size -= end - first;
    }

    /** Forgets everything below {@code offset}. */
    void removeBelow(long offset) {
        int i = floor(offset - 1);
        if (i >= 0 && to[i] >= offset) {
            from[i] = offset;
            i--;
        }
        remove(0, i + 1);
    }

    void clear() {
        size = 0;
    }

    /** Lengths and distances from {@code base}, which no range reaches below. */
    void write(ByteBuf out, long base) {
        Packed.writeUnsigned(out, size);
        long at = base;
        for (int i = 0; i < size; i++) {
            Packed.writeUnsigned(out, from[i] - at);
            Packed.writeUnsigned(out, to[i] - from[i]);
            at = to[i];
        }
    }

    static OffsetRanges read(ByteBuf in, long base) {
        OffsetRanges ranges = new OffsetRanges();
        long at = base;
        for (int n = Packed.readCount(in); n > 0; n--) {
            long first = at + Packed.readUnsigned(in);
            at = first + Packed.readUnsigned(in);
            ranges.insert(ranges.size, first, at);
        }
        return ranges;
    }
}
