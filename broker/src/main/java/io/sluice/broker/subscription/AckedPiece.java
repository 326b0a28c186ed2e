package io.sluice.broker.subscription;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.RoaringBitmap;

/**
 * {@link AckedOffsets} in one piece of {@link #SIZE} offsets, or all of them in several such pieces in a row. Positions count
 * from the beginning of the piece.
 */
final class AckedPiece {
    static final int BITS = 16;
    static final int SIZE = 1 << BITS;
    static final int MASK = SIZE - 1;

    /** After so many changes the bitmap is brought into its smallest form. */
    private static final int COMPACT_EVERY = 256;
    /** Bytes of this object, the bitmap's and the container's. */
    private static final int OVERHEAD = 256;

    /** Number of the first piece. */
    private final long first;
    /** Number of the last piece: the first, unless every offset is acknowledged. */
    private final long last;
    /** Null if every offset is acknowledged. */
    private final @Nullable RoaringBitmap bits;

    private int runs;
    private int changes;
    private int bytes = OVERHEAD;

    private AckedPiece(long first, long last, @Nullable RoaringBitmap bits) {
        this.first = first;
        this.last = last;
        this.bits = bits;
    }

    /** Every offset of these pieces. */
    static AckedPiece full(long first, long last) {
        return new AckedPiece(first, last, null);
    }

    /** None yet. */
    static AckedPiece empty(long number) {
        return new AckedPiece(number, number, new RoaringBitmap());
    }

    long first() {
        return first;
    }

    long last() {
        return last;
    }

    /** The first offset. */
    long start() {
        return first << BITS;
    }

    /** One past the last offset. */
    long end() {
        return (last + 1) << BITS;
    }

    boolean isFull() {
        return bits == null;
    }

    /** Whether every offset has come to be acknowledged, so that {@link #full} would be smaller. */
    boolean isComplete() {
        return bits != null && count() == SIZE;
    }

    long count() {
        return bits == null ? end() - start() : bits.getLongCardinality();
    }

    /** Runs of acknowledged offsets. */
    int runs() {
        return bits == null ? 1 : runs;
    }

    /** Memory it takes, about. */
    int bytes() {
        return bytes;
    }

    boolean contains(int position) {
        return bits == null || bits.contains(position);
    }

    /** The first position from {@code from} on that is not acknowledged; {@link #SIZE} if there is none. */
    int nextAbsent(int from) {
        return bits == null ? SIZE : (int) bits.nextAbsentValue(from);
    }

    /** The first position from {@code from} on that is acknowledged; {@link #SIZE} if there is none. */
    int nextPresent(int from) {
        long next = bits == null ? from : bits.nextValue(from);
        return next < 0 ? SIZE : (int) next;
    }

    /** How many of {@code [from, to]} are acknowledged. */
    int count(int from, int to) {
        return bits == null ? to - from + 1 : (int) bits.rangeCardinality(from, to + 1L);
    }

    /** The position from {@code from} on before which {@code n} are not acknowledged, itself not acknowledged. */
    int nthAbsent(int from, int n) {
        int low = from;
        int high = MASK;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (middle - from + 1 - count(from, middle) > n) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    /** Acknowledges {@code [from, to]}. */
    void add(int from, int to) {
        RoaringBitmap b = bits;
        if (b == null) {
            return;
        }
        boolean joinsBefore = from > 0 && b.contains(from - 1) && !b.contains(from);
        boolean joinsAfter = to < MASK && b.contains(to + 1) && !b.contains(to);
        runs += 1 - runsIn(b, from, to) - (joinsBefore ? 1 : 0) - (joinsAfter ? 1 : 0);
        if (from == to) {
            b.add(from);
        } else {
            b.add((long) from, to + 1L);
        }
        changed();
    }

    /** Forgets what is before {@code position}. */
    void removeBelow(int position) {
        RoaringBitmap b = bits;
        if (b != null && position > 0) {
            boolean cut = b.contains(position - 1) && b.contains(position);
            runs -= runsIn(b, 0, position - 1) - (cut ? 1 : 0);
            b.remove(0L, position);
            changed();
        }
    }

    private static int runsIn(RoaringBitmap b, int from, int to) {
        int n = 0;
        long at = b.nextValue(from);
        while (at >= 0 && at <= to) {
            n++;
            long end = b.nextAbsentValue((int) at);
            at = end > to ? -1 : b.nextValue((int) end);
        }
        return n;
    }

    private void changed() {
        if (changes++ % COMPACT_EVERY == 0) {
            compact();
        }
    }

    private void compact() {
        if (bits != null) {
            bits.runOptimize();
            bytes = OVERHEAD + bits.getSizeInBytes();
        }
    }

    /** Bytes that {@link #write} needs now. */
    int writtenBytes() {
        compact();
        return bits == null ? 0 : bits.serializedSizeInBytes();
    }

    /** In RoaringBitmap's portable format. */
    void write(ByteBuffer out) {
        if (bits != null) {
            bits.serialize(out);
        }
    }

    static AckedPiece read(long number, ByteBuffer in) {
        try {
            RoaringBitmap bits = new RoaringBitmap();
            bits.deserialize(in);
            if (bits.isEmpty() || bits.last() < 0 || bits.last() > MASK) {
                throw new IllegalStateException("stored acknowledgements are not of one piece");
            }
            AckedPiece piece = new AckedPiece(number, number, bits);
            piece.runs = runsIn(bits, 0, MASK);
            piece.compact();
            return piece;
        } catch (IOException e) {
            throw new IllegalStateException("stored acknowledgements cannot be read: " + e.getMessage(), e);
        }
    }
}
