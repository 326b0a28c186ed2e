package io.sluice.kafka.wire;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import org.apache.kafka.common.protocol.Readable;

/**
 * Lets Kafka's generated classes read from a network buffer. What they keep (strings, byte fields) is copied out, so the
 * message does not outlive the buffer by accident. Bytes that do not parse surface as {@link RuntimeException}s of many kinds.
 */
public final class ByteBufReadable implements Readable {
    private static final int MAX_VARINT_BYTES = 5;
    private static final int MAX_VARLONG_BYTES = 10;

    private final ByteBuf in;

    /** Reads from, and moves, {@code in}'s reader index; the caller keeps ownership. */
    public ByteBufReadable(ByteBuf in) {
        this.in = in;
    }

    @Override
    public byte readByte() {
        return in.readByte();
    }

    @Override
    public short readShort() {
        return in.readShort();
    }

    @Override
    public int readInt() {
        return in.readInt();
    }

    @Override
    public long readLong() {
        return in.readLong();
    }

    @Override
    public double readDouble() {
        return in.readDouble();
    }

    @Override
    public byte[] readArray(int length) {
        if (length < 0 || length > in.readableBytes()) {
            throw new IndexOutOfBoundsException("field of " + length + " bytes, " + in.readableBytes() + " left");
        }
        byte[] bytes = new byte[length];
        in.readBytes(bytes);
        return bytes;
    }

    @Override
    public int readUnsignedVarint() {
        int value = 0;
        for (int i = 0; i < MAX_VARINT_BYTES; i++) {
            byte b = in.readByte();
            value |= (b & 0x7f) << (7 * i);
            if (b >= 0) {
                return value;
            }
        }
        throw new IllegalArgumentException("varint longer than " + MAX_VARINT_BYTES + " bytes");
    }

    @Override
    public ByteBuffer readByteBuffer(int length) {
        return ByteBuffer.wrap(readArray(length));
    }

    @Override
    public int readVarint() {
        int raw = readUnsignedVarint();
        return (raw >>> 1) ^ -(raw & 1);
    }

    @Override
    public long readVarlong() {
        long raw = 0;
        for (int i = 0; i < MAX_VARLONG_BYTES; i++) {
            byte b = in.readByte();
            raw |= (b & 0x7fL) << (7 * i);
            if (b >= 0) {
                return (raw >>> 1) ^ -(raw & 1);
            }
        }
        throw new IllegalArgumentException("varlong longer than " + MAX_VARLONG_BYTES + " bytes");
    }

    @Override
    public int remaining() {
        return in.readableBytes();
    }

    @Override
    public Readable slice() {
        return new ByteBufReadable(in.slice());
    }
}
