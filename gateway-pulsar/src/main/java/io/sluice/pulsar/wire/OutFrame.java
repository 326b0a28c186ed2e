package io.sluice.pulsar.wire;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * A frame to send. Ownership of both buffers goes with the record.
 *
 * @param head length, command, and small bodies
 * @param body slice of the log that follows, unless it was small enough to copy
 */
public record OutFrame(ByteBuf head, @Nullable ByteBuf body) {
    public int bytes() {
        return head.readableBytes() + (body == null ? 0 : body.readableBytes());
    }

    public void release() {
        head.release();
        if (body != null) {
            body.release();
        }
    }
}
