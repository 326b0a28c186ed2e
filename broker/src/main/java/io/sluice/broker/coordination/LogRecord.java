package io.sluice.broker.coordination;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One record of a coordinator log: from here on {@code key} has this value.
 *
 * @param value null for a tombstone: the key is gone
 * @param timestamp milliseconds since the epoch, of the batch that the record was first written in
 */
public record LogRecord(ByteBuffer key, @Nullable ByteBuffer value, long timestamp) {
    /** With bytes of its own. */
    LogRecord copy() {
        return new LogRecord(copyOf(key), value == null ? null : copyOf(value), timestamp);
    }

    static ByteBuffer copyOf(ByteBuffer bytes) {
        ByteBuffer copy = ByteBuffer.allocate(bytes.remaining());
        copy.put(bytes.duplicate()).flip();
        return copy;
    }
}
