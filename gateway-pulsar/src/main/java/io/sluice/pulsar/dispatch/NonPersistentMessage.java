package io.sluice.pulsar.dispatch;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.pulsar.format.Publish;
import io.sluice.pulsar.wire.MessageFrames;
import io.sluice.pulsar.wire.MessageFrames.MessageHead;
import io.sluice.pulsar.wire.OutFrame;
import org.apache.pulsar.common.protocol.Commands;
import org.jspecify.annotations.Nullable;

/**
 * Message, or batch, of a non-persistent topic on its way to those who can take it now. Consumers share one copy of a large one: the
 * bytes as they arrived are a part of a larger buffer, which a slow connection would keep.
 */
public final class NonPersistentMessage implements AutoCloseable {
    /** As Pulsar names every message of such a topic. */
    public static final long LEDGER = 0;

    /** As Pulsar names every message of such a topic. */
    public static final long ENTRY = 0;

    private final ByteBuf in;
    private final int at;
    private final int length;
    private final Publish publish;
    private @Nullable ByteBuf copy;
    private int hash;

    /**
     * @param in borrowed; the message is {@code [at, at + length)}, as its producer sent it
     * @param publish has read it, and reads no other while this is used
     */
    public NonPersistentMessage(ByteBuf in, int at, int length, Publish publish) {
        this.in = in;
        this.at = at;
        this.length = length;
        this.publish = publish;
    }

    /** Messages in it. */
    public int count() {
        return publish.count();
    }

    /** Bytes. */
    public int length() {
        return length;
    }

    /** Hash of its key; found out where somebody asks. */
    int hash() {
        if (hash == 0) {
            hash = publish.stickyHash();
        }
        return hash;
    }

    /** Frame of it for a consumer; the caller owns it. */
    OutFrame frame(MessageFrames frames, ByteBufAllocator allocator, long consumer, int partition) {
        MessageHead head = new MessageHead(consumer, LEDGER, ENTRY, partition, 0, Commands.DEFAULT_CONSUMER_EPOCH);
        if (MessageFrames.isSmall(length)) {
            return frames.whole(head, in, at, length);
        }
        ByteBuf shared = copy;
        if (shared == null) {
            shared = allocator.directBuffer(length, length).writeBytes(in, at, length);
            copy = shared;
        }
        return frames.encode(head, shared, 0, length, null);
    }

    @Override
    public void close() {
        ByteBuf shared = copy;
        copy = null;
        if (shared != null) {
            shared.release();
        }
    }
}
