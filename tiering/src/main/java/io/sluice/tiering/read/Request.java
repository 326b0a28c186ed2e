package io.sluice.tiering.read;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.store.segment.StoreFailure;
import io.sluice.store.tier.TierReply;
import io.sluice.tiering.read.SequentialReaders.Reader;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Read of a segment's bytes from one position on, for all that ask for it at the same time. Each of them is answered exactly
 * once. Loop only.
 *
 * <pre>
 *   QUEUED ─┬─► READING ─┬─► ANSWERED
 *           │            ├─► FAILED
 *           └────────────┴─► HANDED_BACK
 * </pre>
 */
final class Request {
    enum State {
        /** Waits for its turn; nothing is known of where its bytes are. */
        QUEUED,
        /** Takes bytes from piece after piece, and waits for one of them at most. */
        READING,
        /** The readers have what it got. */
        ANSWERED,
        /** The readers know why there is nothing: not a byte of it could be read, too many wait, or the term is over. */
        FAILED,
        /** The bytes are elsewhere by now: in the cache, in another object, or nowhere. The container plans the reads anew. */
        HANDED_BACK
    }

    /** @param maxBytes as it was asked for */
    private record Asking(int maxBytes, TierReply reply) {}

    final long segment;
    final long position;
    private final List<Asking> asking = new ArrayList<>(1);
    private State state = State.QUEUED;
    private @Nullable Reader reader;
    private long window;
    private int bytes;
    /** The first bytes of the answer, from the pieces before the one that is waited for. */
    private @Nullable ByteBuf head;

    Request(long segment, long position) {
        this.segment = segment;
        this.position = position;
    }

    /** One more asks for it, and gets what it brings, as far as wanted. */
    void join(int maxBytes, TierReply reply) {
        asking.add(new Asking(maxBytes, reply));
    }

    int asking() {
        return asking.size();
    }

    /** Most bytes that one of the readers takes. */
    int maxBytes() {
        int most = 0;
        for (Asking each : asking) {
            most = Math.max(most, each.maxBytes);
        }
        return most;
    }

    /**
     * Its turn has come.
     *
     * @param sequential the reader that asks, if it is known
     * @param ahead bytes to read ahead of it
     * @param wanted bytes to answer with, if there are as many
     */
    void begin(@Nullable Reader sequential, long ahead, int wanted) {
        move(State.QUEUED, State.READING);
        reader = sequential;
        window = ahead;
        bytes = wanted;
    }

    State state() {
        return state;
    }

    @Nullable
    Reader reader() {
        return reader;
    }

    long window() {
        return window;
    }

    /** Bytes that it wants. */
    int bytes() {
        return bytes;
    }

    /** The first position that is still lacking. */
    long next() {
        return position + have();
    }

    /** Behind the last position that it wants. */
    long end() {
        return position + bytes;
    }

    boolean complete() {
        return have() == bytes;
    }

    boolean hasBytes() {
        return head != null;
    }

    /** Takes what it can use of a piece that holds {@link #next}; {@code data} starts at {@code from} and is borrowed. */
    void take(ByteBuf data, long from, ByteBufAllocator allocator) {
        int at = (int) (next() - from);
        ByteBuf part = data.retainedSlice(at, Math.min(bytes - have(), data.readableBytes() - at));
        head = head == null
                ? part
                : allocator
                        .compositeDirectBuffer(Integer.MAX_VALUE)
                        .addFlattenedComponents(true, head)
                        .addFlattenedComponents(true, part);
    }

    /**
     * Answers with what it has; there is something.
     *
     * @param shared see {@link TierReply#data}; one of those who ask is told, which is enough
     */
    void answer(boolean shared) {
        move(State.READING, State.ANSWERED);
        ByteBuf data = head;
        if (data == null) {
            throw new IllegalStateException("No bytes to answer with");
        }
        head = null;
        try {
            for (int i = 0; i < asking.size(); i++) {
                asking.get(i).reply.data(position, data.retainedSlice(), shared && i == 0);
            }
        } finally {
            data.release();
        }
    }

    void fail(StoreFailure why) {
        end(State.FAILED);
        asking.forEach(each -> each.reply.failed(why));
    }

    void handBack() {
        end(State.HANDED_BACK);
        asking.forEach(each -> each.reply.again());
    }

    private void end(State how) {
        move(state == State.QUEUED ? State.QUEUED : State.READING, how);
        ByteBuf data = head;
        head = null;
        if (data != null) {
            data.release();
        }
    }

    private void move(State from, State to) {
        if (state != from) {
            throw new IllegalStateException("A read is " + state + " and cannot become " + to);
        }
        state = to;
    }

    private int have() {
        return head == null ? 0 : head.readableBytes();
    }
}
