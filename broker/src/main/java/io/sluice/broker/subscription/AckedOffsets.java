package io.sluice.broker.subscription;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.Packed;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The offsets a subscription has acknowledged out of order. Offsets lie in pieces of 65,536, each a compressed bitmap; pieces
 * without a gap are one together, however many. So a million gaps among neighbours take about as many bits, and one gap before
 * a thousand million acknowledged offsets takes no more than one elsewhere.
 */
final class AckedOffsets {
    /** Tags of what {@link #write} writes; they keep their meaning for ever. */
    private static final byte END = 0;

    private static final byte FULL = 1;
    private static final byte BITMAP = 2;

    /** Ordered, apart from each other; full ones do not touch. */
    private AckedPiece[] pieces = new AckedPiece[2];

    private int size;
    private long count;
    private long bytes;

    boolean isEmpty() {
        return size == 0;
    }

    long count() {
        return count;
    }

    /** Memory they take, about. */
    long bytes() {
        return bytes;
    }

    /** How many runs there are. Looks at every piece. */
    int ranges() {
        int n = 0;
        for (int i = 0; i < size; i++) {
            n += pieces[i].runs() - (i > 0 && joined(pieces[i - 1], pieces[i]) ? 1 : 0);
        }
        return n;
    }

    private static boolean joined(AckedPiece a, AckedPiece b) {
        return a.last() + 1 == b.first() && a.contains(AckedPiece.MASK) && b.contains(0);
    }

    private static long number(long offset) {
        return offset >>> AckedPiece.BITS;
    }

    private static int position(long offset) {
        return (int) offset & AckedPiece.MASK;
    }

    /** Index of the first piece that ends at or after piece {@code number}; {@code size} if there is none. */
    private int find(long number) {
        if (size > 0 && pieces[size - 1].first() <= number) {
            return pieces[size - 1].last() >= number ? size - 1 : size;
        }
        int low = 0;
        int high = size;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (pieces[middle].last() < number) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private boolean holds(int index, long number) {
        return index < size && pieces[index].first() <= number;
    }

    boolean contains(long offset) {
        int i = find(number(offset));
        return holds(i, number(offset)) && pieces[i].contains(position(offset));
    }

    /** {@code offset} if it is not acknowledged, else the next that is not. */
    long after(long offset) {
        long at = offset;
        for (int i = find(number(at)); holds(i, number(at)); i++) {
            AckedPiece piece = pieces[i];
            int absent = piece.nextAbsent(position(at));
            if (absent < AckedPiece.SIZE) {
                return piece.start() + absent;
            }
            at = piece.end();
        }
        return at;
    }

    /** {@code offset} if it is acknowledged, else the next that is; -1 if there is none. */
    long next(long offset) {
        for (int i = find(number(offset)); i < size; i++) {
            AckedPiece piece = pieces[i];
            if (offset <= piece.start()) {
                return piece.isFull() ? piece.start() : piece.start() + piece.nextPresent(0);
            }
            if (piece.isFull()) {
                return offset;
            }
            int present = piece.nextPresent(position(offset));
            if (present < AckedPiece.SIZE) {
                return piece.start() + present;
            }
        }
        return -1;
    }

    /** How many of {@code [from, to]} are acknowledged. */
    long count(long from, long to) {
        long n = 0;
        for (int i = find(number(from)); i < size && pieces[i].start() <= to; i++) {
            AckedPiece piece = pieces[i];
            long first = Math.max(from, piece.start());
            long last = Math.min(to, piece.end() - 1);
            n += piece.isFull() ? last - first + 1 : piece.count(position(first), position(last));
        }
        return n;
    }

    /** The offset from {@code from} on before which {@code n} are not acknowledged, itself not acknowledged. */
    long nthAbsent(long from, long n) {
        long at = from;
        long left = n;
        for (int i = find(number(at)); i < size; i++) {
            AckedPiece piece = pieces[i];
            long before = piece.start() - at;
            if (before > left) {
                return at + left;
            }
            if (before > 0) {
                left -= before;
                at = piece.start();
            }
            if (!piece.isFull()) {
                int first = position(at);
                int absent = AckedPiece.SIZE - first - piece.count(first, AckedPiece.MASK);
                if (left < absent) {
                    return piece.start() + piece.nthAbsent(first, (int) left);
                }
                left -= absent;
            }
            at = piece.end();
        }
        return left > Long.MAX_VALUE - at ? Long.MAX_VALUE : at + left;
    }

    /** Adds {@code [from, to]}. */
    void add(long from, long to) {
        long first = number(from);
        long last = number(to);
        if (first == last) {
            addWithin(first, position(from), position(to));
            return;
        }
        if (position(from) != 0) {
            addWithin(first++, position(from), AckedPiece.MASK);
        }
        if (position(to) != AckedPiece.MASK) {
            addWithin(last--, 0, position(to));
        }
        if (first <= last) {
            fill(first, last);
        }
    }

    private void addWithin(long number, int from, int to) {
        int i = find(number);
        if (!holds(i, number)) {
            replace(i, i, AckedPiece.empty(number));
            remember(pieces[i]);
        }
        AckedPiece piece = pieces[i];
        forget(piece);
        piece.add(from, to);
        remember(piece);
        if (piece.isComplete()) {
            fill(number, number);
        }
    }

    /** Everything in the pieces from {@code first} to {@code last} is acknowledged. */
    private void fill(long first, long last) {
        // neighbours that touch and have no gap either become part of it
        int low = find(first > 0 ? first - 1 : 0);
        if (low < size && pieces[low].last() < first && !pieces[low].isFull()) {
            low++;
        }
        int high = low;
        long from = first;
        long to = last;
        while (high < size
                && (pieces[high].first() <= last || (pieces[high].isFull() && pieces[high].first() == last + 1))) {
            AckedPiece gone = pieces[high++];
            forget(gone);
            if (gone.isFull()) {
                from = Math.min(from, gone.first());
                to = Math.max(to, gone.last());
            }
        }
        AckedPiece full = AckedPiece.full(from, to);
        replace(low, high, full);
        remember(full);
    }

    /** {@code piece} instead of those in {@code [low, high)}; what they count for is the caller's. */
    private void replace(int low, int high, AckedPiece piece) {
        int newSize = size + 1 - (high - low);
        AckedPiece[] target = newSize > pieces.length ? Arrays.copyOf(pieces, newSize * 2) : pieces;
        System.arraycopy(pieces, high, target, low + 1, size - high);
        target[low] = piece;
        pieces = target;
        shrunkTo(newSize);
    }

    private void shrunkTo(int newSize) {
        if (newSize < size) {
            Arrays.fill(pieces, newSize, size, null);
        }
        size = newSize;
    }

    private void remember(AckedPiece piece) {
        count += piece.count();
        bytes += piece.bytes();
    }

    private void forget(AckedPiece piece) {
        count -= piece.count();
        bytes -= piece.bytes();
    }

    /** Forgets everything below {@code offset}. */
    void removeBelow(long offset) {
        long number = number(offset);
        int gone = find(number);
        for (int i = 0; i < gone; i++) {
            forget(pieces[i]);
        }
        if (gone > 0) {
            System.arraycopy(pieces, gone, pieces, 0, size - gone);
            shrunkTo(size - gone);
        }
        if (size > 0 && pieces[0].start() < offset) {
            cutFirst(offset);
        }
    }

    private void cutFirst(long offset) {
        AckedPiece piece = pieces[0];
        forget(piece);
        if (piece.isFull()) {
            System.arraycopy(pieces, 1, pieces, 0, size - 1);
            shrunkTo(size - 1);
            add(offset, piece.end() - 1);
            return;
        }
        piece.removeBelow(position(offset));
        if (piece.count() == 0) {
            System.arraycopy(pieces, 1, pieces, 0, size - 1);
            shrunkTo(size - 1);
        } else {
            remember(piece);
        }
    }

    void clear() {
        shrunkTo(0);
        count = 0;
        bytes = 0;
    }

    /**
     * Writes the pieces from the first on, as many as fit.
     *
     * @param most bytes
     */
    void write(ByteBuf out, int most) {
        long end = (long) out.writerIndex() + most;
        long at = 0;
        for (int i = 0; i < size; i++) {
            AckedPiece piece = pieces[i];
            bytes -= piece.bytes();
            int needed = piece.writtenBytes();
            bytes += piece.bytes();
            // a tag and two numbers come before the bitmap, a tag after the last
            if (end - out.writerIndex() < needed + 24) {
                break;
            }
            out.writeByte(piece.isFull() ? FULL : BITMAP);
            Packed.writeUnsigned(out, piece.first() - at);
            Packed.writeUnsigned(out, piece.isFull() ? piece.last() - piece.first() : needed);
            if (!piece.isFull()) {
                out.ensureWritable(needed);
                piece.write(out.nioBuffer(out.writerIndex(), needed));
                out.writerIndex(out.writerIndex() + needed);
            }
            at = piece.last() + 1;
        }
        out.writeByte(END);
    }

    static AckedOffsets read(ByteBuf in) {
        AckedOffsets offsets = new AckedOffsets();
        long at = 0;
        for (byte tag = in.readByte(); tag != END; tag = in.readByte()) {
            long first = at + Packed.readUnsigned(in);
            AckedPiece piece = switch (tag) {
                case FULL -> AckedPiece.full(first, first + Packed.readUnsigned(in));
                case BITMAP -> readBitmap(first, in);
                default ->
                    throw new IllegalStateException(
                            "acknowledgements of unknown kind " + tag + ": a newer server wrote them");
            };
            offsets.replace(offsets.size, offsets.size, piece);
            offsets.remember(piece);
            at = piece.last() + 1;
        }
        return offsets;
    }

    private static AckedPiece readBitmap(long number, ByteBuf in) {
        int length = Packed.readCount(in);
        ByteBuffer bitmap = in.nioBuffer(in.readerIndex(), length);
        in.skipBytes(length);
        return AckedPiece.read(number, bitmap);
    }
}
