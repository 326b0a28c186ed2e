package io.sluice.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Registered for every test class of every module: fails the class if Netty's detector has found a leaked buffer. A leak is
 * found when the collector has taken the buffer, so this asks for a collection first.
 */
public final class NoLeaks implements AfterAllCallback {
    private static final int POLLS = 20;

    @Override
    public void afterAll(ExtensionContext context) {
        System.gc();
        // The detector looks at what was collected whenever a buffer is allocated.
        for (int n = 0; n < POLLS; n++) {
            ByteBuf buffer = PooledByteBufAllocator.DEFAULT.buffer(16);
            buffer.release();
        }
        assertThat(CountingLeakDetector.drain()).as("leaked buffers").isEmpty();
    }
}
