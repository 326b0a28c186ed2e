package io.sluice.store.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.Random;

/** Bytes to put in, and how to look at what comes out. */
public final class TestBytes {
    private TestBytes() {}

    public static byte[] random(Random random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    /** Heap and direct buffers in turn: the cache copies from each its own way. */
    public static ByteBuf buffer(Random random, byte[] bytes) {
        return random.nextBoolean()
                ? Unpooled.wrappedBuffer(bytes)
                : Unpooled.directBuffer(bytes.length).writeBytes(bytes);
    }

    /** Compares and releases. */
    public static void assertHolds(ByteBuf actual, byte[] expected, int from, int length) {
        try {
            ByteBuf wanted = Unpooled.wrappedBuffer(expected, from, length);
            if (!ByteBufUtil.equals(actual, wanted)) { // describing an AssertJ assertion costs more than the comparison
                assertThat(ByteBufUtil.getBytes(actual)).isEqualTo(ByteBufUtil.getBytes(wanted));
            }
        } finally {
            actual.release();
        }
    }
}
