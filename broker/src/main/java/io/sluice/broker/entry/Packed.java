package io.sluice.broker.entry;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/** Numbers in as few bytes as they need: 7 bits per byte, lowest first; signed ones zig-zag. */
public final class Packed {
    private Packed() {}

    public static void writeUnsigned(ByteBuf out, long value) {
        long rest = value;
        while ((rest & ~0x7fL) != 0) {
            out.writeByte((int) (rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        out.writeByte((int) rest);
    }

    /** @throws IllegalStateException if this is not a number: what was stored is damaged */
    public static long readUnsigned(ByteBuf in) {
        long value = 0;
        for (int shift = 0; shift < 70; shift += 7) {
            byte b = in.readByte();
            value |= (b & 0x7fL) << shift;
            if (b >= 0) {
                return value;
            }
        }
        throw new IllegalStateException("stored number is longer than 10 bytes");
    }

    public static void writeSigned(ByteBuf out, long value) {
        writeUnsigned(out, (value << 1) ^ (value >> 63));
    }

    public static long readSigned(ByteBuf in) {
        long raw = readUnsigned(in);
        return (raw >>> 1) ^ -(raw & 1);
    }

    public static int readCount(ByteBuf in) {
        long count = readUnsigned(in);
        if (count < 0 || count > Integer.MAX_VALUE) {
            throw new IllegalStateException("stored count is " + count);
        }
        return (int) count;
    }

    public static void writeString(ByteBuf out, String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        writeUnsigned(out, utf8.length);
        out.writeBytes(utf8);
    }

    public static String readString(ByteBuf in) {
        return in.readCharSequence(readCount(in), StandardCharsets.UTF_8).toString();
    }
}
