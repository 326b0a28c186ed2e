package io.sluice.tiering.read;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.tiering.format.Span;
import java.util.ArrayList;
import java.util.List;

/**
 * Range read by one request to the store, with the requests that wait for it. Loop only.
 *
 * <pre>
 *   QUEUED ─► RUNNING ─► READY
 *     ▲          │ failed
 *     └─ PAUSED ◄┴─► DROPPED, as all are in the end
 * </pre>
 */
final class Piece {
    enum State {
        QUEUED,
        RUNNING,
        PAUSED,
        READY,
        DROPPED
    }

    final Span span;
    State state = State.QUEUED;
    int failures;
    /** Milliseconds since the epoch; while PAUSED. */
    long retryAt;
    /** Kept for a sequential reader without a waiter, and counted as read-ahead. */
    boolean kept;
    /** Time of the last use, milliseconds since the epoch. */
    long lastUse;

    /** When it was first asked for, milliseconds since the epoch. */
    final long asked;

    private ByteBuf data = Unpooled.EMPTY_BUFFER;
    private List<Request> waiters = new ArrayList<>(1);

    Piece(Span span, long now) {
        this.span = span;
        this.asked = now;
        this.lastUse = now;
    }

    long segment() {
        return span.range().segment();
    }

    boolean holds(long position) {
        return position >= span.from() && position < span.to();
    }

    /** Takes {@code bytes} over. */
    void ready(ByteBuf bytes) {
        state = State.READY;
        data = bytes;
    }

    /** Once READY. Borrowed. */
    ByteBuf data() {
        return data;
    }

    void await(Request request) {
        waiters.add(request);
    }

    boolean awaited() {
        return !waiters.isEmpty();
    }

    /** Removes and returns the waiting requests. */
    List<Request> takeWaiters() {
        List<Request> taken = waiters;
        waiters = new ArrayList<>(1);
        return taken;
    }

    void drop() {
        state = State.DROPPED;
        data.release();
        data = Unpooled.EMPTY_BUFFER;
    }
}
