package io.sluice.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

@ExpectedLog("LEAK: ByteBuf.release() was not called")
class NoLeaksTest {
    @Test
    void findsABufferThatWasDropped() {
        drop();
        Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> {
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
