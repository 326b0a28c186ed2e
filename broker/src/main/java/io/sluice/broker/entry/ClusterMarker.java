package io.sluice.broker.entry;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * The entry with which clusters that replicate a topic to each other tell each other something about it, between its messages: a {@link
 * ControlBatch} whose value is the marker as it goes over the wire. Servers alone write it.
 */
public final class ClusterMarker {
    /** Bytes of a marker at most. */
    public static final int MOST_BYTES = 64 << 10;

    private static final short TYPE = 20_001;

    private ClusterMarker() {}

    /**
     * A marker, ready to be appended; the caller's.
     *
     * @param content is read to its end; {@link #MOST_BYTES} at most
     * @param now milliseconds since the epoch
     */
    public static ByteBuf entry(ByteBufAllocator allocator, ByteBuf content, long now) {
        return ControlBatch.of(allocator, TYPE, content, now);
    }

    /** Whether the entry at {@code at} is one. */
    public static boolean is(ByteBuf b, int at) {
        return ControlBatch.type(b, at) == TYPE;
    }

    /** Content of the marker at {@code at}, as it was given; a slice of {@code b}. */
    public static ByteBuf content(ByteBuf b, int at) {
        return ControlBatch.value(b, at);
    }
}
