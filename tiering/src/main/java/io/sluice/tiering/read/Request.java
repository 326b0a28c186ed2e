package io.sluice.tiering.read;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.store.read.SequentialReaders.Reader;
import io.sluice.store.segment.ReadReply;
import org.jspecify.annotations.Nullable;

/** A read of a segment. Waits on at most one piece at a time; answered exactly once. Loop only. */
final class Request {
    /** The sequential reader that asks, or null. */
    final @Nullable Reader reader;

    /** Bytes to read ahead of the reader. */
    final long window;

    final long segment;
    final long position;
    final int maxBytes;
    private final ReadReply reply;
    /** The first bytes of the answer, from the piece before the one that is waited for. */
    private @Nullable ByteBuf head;

    Request(@Nullable Reader reader, long window, long segment, long position, int maxBytes, ReadReply reply) {
        this.reader = reader;
        this.window = window;
        this.segment = segment;
        this.position = position;
        this.maxBytes = maxBytes;
        this.reply = reply;
    }

    /** The first position that is still lacking. */
    long next() {
        return position + have();
    }

    /** Behind the last position that it wants. */
    long end() {
        return position + maxBytes;
    }

    boolean complete() {
        return have() == maxBytes;
    }

    @Nullable
    ByteBuf head() {
        return head;
    }

    /** Takes what it can use of a piece that holds {@link #next}; {@code data} starts at {@code from} and is borrowed. */
    void take(ByteBuf data, long from, ByteBufAllocator allocator) {
        int at = (int) (next() - from);
        ByteBuf part = data.retainedSlice(at, Math.min(maxBytes - have(), data.readableBytes() - at));
        head = head == null
                ? part
                : allocator
                        .compositeDirectBuffer(Integer.MAX_VALUE)
                        .addFlattenedComponents(true, head)
                        .addFlattenedComponents(true, part);
    }

    /** Answers with what it has; there is something. Returns where the answer ends. */
    void answer() {
        ByteBuf data = head;
        if (data == null) {
            throw new IllegalStateException("No bytes to answer with");
        }
        head = null;
        reply.data(position, data);
    }

    ReadReply reply() {
        return reply;
    }

    private int have() {
        return head == null ? 0 : head.readableBytes();
    }
}
