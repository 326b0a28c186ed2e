package io.sluice.store.sim;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** One append that a client made; its bytes follow from its id. */
public record SimAppend(long id, long position, int length) {
    public long end() {
        return position + length;
    }

    public byte at(long offset) {
        long mixed = (id * 0x9E3779B97F4A7C15L) ^ (offset * 0xC2B2AE3D27D4EB4FL);
        return (byte) (mixed >>> 29);
    }

    public ByteBuf bytes() {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = at(i);
        }
        return Unpooled.wrappedBuffer(bytes);
    }
}
