package io.sluice.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

@ExpectedLog("LEAK: ByteBuf.release() was not called")
class NoLeaksTest {
    @Test
    void findsABufferThatWasDropped() {
        drop();
        Awaitility.await().until(() -> {
            System.gc();
            ByteBuf buffer = PooledByteBufAllocator.DEFAULT.buffer(16);
            buffer.release();
            return !CountingLeakDetector.drain().isEmpty();
        });
        assertThat(CountingLeakDetector.drain()).isEmpty();
    }

    private static void drop() {
        PooledByteBufAllocator.DEFAULT.directBuffer(1024).writeLong(1);
    }
}
