package io.sluice.testing.fuzz;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Bytes that know where their lengths, counts, numbers and fields begin, so that they can be damaged there. The marks move with
 * the bytes when some are inserted or removed before them.
 */
public final class FuzzBytes {
    /** A number of fixed width is marked with its width, 1 to 8; one of variable width with this. */
    static final byte VARINT = 9;
    /** A place where some piece begins. */
    static final byte PIECE = 10;

    private byte[] bytes = new byte[256];
    private int size;
    private int[] places = new int[64];
    private byte[] kinds = new byte[64];
    private int marks;

    public FuzzBytes() {}

    /** @param content copied */
    public FuzzBytes(byte[] content) {
        raw(content, 0, content.length);
    }

    public int size() {
        return size;
    }

    public byte[] toArray() {
        return Arrays.copyOf(bytes, size);
    }

    public byte byteAt(int at) {
        return bytes[at];
    }

    int marks() {
        return marks;
    }

    int place(int mark) {
        return places[mark];
    }

    byte kind(int mark) {
        return kinds[mark];
    }

    /** @param kind the width of a number of fixed width, or one of the above */
    public void mark(int at, int kind) {
        if (marks == places.length) {
            places = Arrays.copyOf(places, marks * 2);
            kinds = Arrays.copyOf(kinds, marks * 2);
        }
        places[marks] = at;
        kinds[marks++] = (byte) kind;
    }

    /** Marks the varint at {@code at}. */
    public void markVarint(int at) {
        mark(at, VARINT);
    }

    public void markPiece(int at) {
        mark(at, PIECE);
    }

    // ---- appending ----

    /** A big-endian number, marked. */
    public FuzzBytes number(int width, long value) {
        mark(size, width);
        room(width);
        putNumber(size, width, value);
        size += width;
        return this;
    }

    /** A varint of up to 64 bits, marked. */
    public FuzzBytes varint(long value) {
        mark(size, VARINT);
        byte[] encoded = encodeVarint(value);
        return raw(encoded, 0, encoded.length);
    }

    /** As Kafka's records have them. */
    public FuzzBytes zigzag(long value) {
        return varint((value << 1) ^ (value >> 63));
    }

    public FuzzBytes raw(byte[] from, int at, int length) {
        room(length);
        System.arraycopy(from, at, bytes, size, length);
        size += length;
        return this;
    }

    public FuzzBytes raw(byte[] from) {
        mark(size, PIECE);
        return raw(from, 0, from.length);
    }

    public FuzzBytes utf8(String text) {
        return raw(text.getBytes(StandardCharsets.UTF_8));
    }

    /** With its marks. */
    public FuzzBytes append(FuzzBytes other) {
        mark(size, PIECE);
        for (int m = 0; m < other.marks; m++) {
            mark(size + other.places[m], other.kinds[m]);
        }
        return raw(other.bytes, 0, other.size);
    }

    // ---- changing ----

    public void setNumber(int at, int width, long value) {
        if (at >= 0 && at + width <= size) {
            putNumber(at, width, value);
        }
    }

    void setByte(int at, int value) {
        bytes[at] = (byte) value;
    }

    public long numberAt(int at, int width) {
        long value = 0;
        for (int i = 0; i < width; i++) {
            value = (value << 8) | (bytes[at + i] & 0xff);
        }
        return value;
    }

    /** Puts {@code with} in place of {@code removed} bytes; marks in between are gone. */
    public void replace(int at, int removed, byte[] with) {
        int cut = Math.min(removed, size - at);
        int change = with.length - cut;
        room(Math.max(0, change));
        System.arraycopy(bytes, at + cut, bytes, at + with.length, size - at - cut);
        System.arraycopy(with, 0, bytes, at, with.length);
        size += change;
        int kept = 0;
        for (int m = 0; m < marks; m++) {
            int place = places[m];
            if (place <= at || place >= at + cut) {
                places[kept] = place <= at ? place : place + change;
                kinds[kept++] = kinds[m];
            }
        }
        marks = kept;
    }

    byte[] copyOf(int from, int to) {
        return Arrays.copyOfRange(bytes, from, to);
    }

    private void room(int more) {
        if (size + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, size + more));
        }
    }

    private void putNumber(int at, int width, long value) {
        for (int i = 0; i < width; i++) {
            bytes[at + i] = (byte) (value >>> (8 * (width - 1 - i)));
        }
    }

    public static byte[] encodeVarint(long value) {
        byte[] encoded = new byte[10];
        int length = 0;
        long left = value;
        while ((left & ~0x7fL) != 0) {
            encoded[length++] = (byte) (left | 0x80);
            left >>>= 7;
        }
        encoded[length++] = (byte) left;
        return Arrays.copyOf(encoded, length);
    }

    int varintLength(int at) {
        int end = at;
        while (end < size - 1 && bytes[end] < 0 && end - at < 9) {
            end++;
        }
        return end - at + 1;
    }
}
