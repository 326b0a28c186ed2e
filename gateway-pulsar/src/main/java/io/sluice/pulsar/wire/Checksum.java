package io.sluice.pulsar.wire;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** CRC32C over Netty buffers, and the CRC of two parts from the CRCs of each. One per thread. */
public final class Checksum {
    /** Castagnoli's polynomial, lowest power in the highest bit. */
    private static final int POLYNOMIAL = 0x82F63B78;

    private static final int ONE = 1 << 31;
    /** Element k is {@code x^(2^k)} modulo the polynomial. */
    private static final int[] POWERS = powers();

    private final CRC32C crc = new CRC32C();

    public int of(ByteBuf b, int at, int length) {
        crc.reset();
        if (b.nioBufferCount() == 1) {
            crc.update(b.internalNioBuffer(at, length));
        } else {
            for (ByteBuffer part : b.nioBuffers(at, length)) {
                crc.update(part);
            }
        }
        return (int) crc.getValue();
    }

    /** CRC of first and second part one after the other. About a microsecond, whatever the length. */
    public static int combine(int first, int second, long secondLength) {
        int shift = ONE;
        int k = 3;
        for (long n = secondLength; n != 0; n >>>= 1, k++) {
            if ((n & 1) != 0) {
                shift = multiply(POWERS[k & 31], shift);
            }
        }
        return multiply(shift, first) ^ second;
    }

    private static int[] powers() {
        int[] p = new int[32];
        p[0] = 1 << 30;
        for (int i = 1; i < p.length; i++) {
            p[i] = multiply(p[i - 1], p[i - 1]);
        }
        return p;
    }

    private static int multiply(int a, int b) {
        int product = 0;
        int shifted = b;
        for (int bit = ONE; bit != 0; bit >>>= 1) {
            if ((a & bit) != 0) {
                product ^= shifted;
            }
            shifted = (shifted & 1) != 0 ? (shifted >>> 1) ^ POLYNOMIAL : shifted >>> 1;
        }
        return product;
    }
}
