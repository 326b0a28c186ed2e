package io.sluice.kafka.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.kafka.api.Api;
import io.sluice.kafka.api.ClientConnection;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.wire.ResponseEncoder;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.RequestHeader;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A request from its start to the moment its answer is handed to the socket. Its place in line is the connection's. */
final class PendingRequest implements RequestContext {
    private static final Logger LOG = LoggerFactory.getLogger(PendingRequest.class);

    private enum Kind {
        MESSAGE,
        SILENT,
        DISCONNECT
    }

    /** Up to here a deadline gets a timer of its own; longer ones are left to the connection's sweep. */
    private static final long PRECISE_UP_TO_MILLIS = 2_000;

    private final Host connection;
    private final Api api;
    private final RequestHeader header;
    private final AtomicBoolean answered = new AtomicBoolean();
    private @Nullable AbstractRequest parsed;
    private @Nullable DeferredResponse response;
    private Kind kind = Kind.MESSAGE;
    private boolean offLoop;
    private final int bytes;
    private final long startNanos;
    /** Held beside those; written by the handler of the request, read by the loop when that is done. */
    private long more;

    private long offLoopNanos;
    private boolean settled;
    private boolean ended;
    private long deadlineNanos;
    private @Nullable Runnable onExpiry;
    private @Nullable Future<?> timer;
    private @Nullable Runnable onDisconnect;
    private @Nullable Runnable onRightsChange;

    /** The connection, as its requests need it. Loop only where nothing else is said. */
    interface Host {
        /** Any thread. */
        ClientConnection client();

        /** Any thread. */
        long nanoTime();

        /** The request is answered: it is to be {@linkplain #settle settled} on the loop. Any thread. */
        void answered(PendingRequest request);

        /** Runs on the loop. Any thread. */
        void execute(Runnable action);

        /** Runs on the loop, later. */
        Future<?> schedule(Runnable action, long delayMillis);

        /** A request came to hold so many bytes more; false if there is no room. Any thread. */
        boolean takeMore(int bytes);

        /** Counts the time of its requests. */
        ClientThrottle throttle();

        /** A request holds nothing any more. */
        void ended(PendingRequest request);

        /** Starts what may be started, then decides whether to read on. */
        void pump();

        /** Sends every answer whose turn has come. */
        void sendReady();

        /** Runs a part of the loop's work for this connection: what it throws closes the connection and hurts no other. */
        void guard(Runnable part);
    }

    PendingRequest(Host connection, Api api, RequestHeader header, int bytes) {
        this.connection = connection;
        this.api = api;
        this.header = header;
        this.bytes = bytes;
        this.startNanos = connection.nanoTime();
    }

    void parsed(AbstractRequest request) {
        this.parsed = request;
    }

    @Override
    public RequestHeader header() {
        return header;
    }

    @Override
    public ClientConnection connection() {
        return connection.client();
    }

    Host host() {
        return connection;
    }

    long startNanos() {
        return startNanos;
    }

    /** Bytes that it came in. */
    int bytes() {
        return bytes;
    }

    /** Bytes that it holds beside those. */
    long more() {
        return more;
    }

    Api api() {
        return api;
    }

    /** Loop only: another of the same API may be started behind this one. */
    boolean mayBeJoined() {
        return api.overlapsItsKind() && !offLoop;
    }

    @Override
    public void complete(ApiMessage message) {
        finish(Kind.MESSAGE, new Ready(message));
    }

    @Override
    public void complete(DeferredResponse deferred) {
        finish(Kind.MESSAGE, deferred);
    }

    @Override
    public void completeSilently() {
        finish(Kind.SILENT, null);
    }

    @Override
    public void fail(Errors error, @Nullable String message) {
        AbstractRequest request = parsed;
        if (request == null) {
            disconnect();
            return;
        }
        AbstractResponse answer = request.getErrorResponse(0, error.exception(message));
        if (answer == null) {
            completeSilently();
        } else {
            complete(answer.data());
        }
    }

    @Override
    public void disconnect() {
        finish(Kind.DISCONNECT, null);
    }

    private void finish(Kind how, @Nullable DeferredResponse answer) {
        if (!answered.compareAndSet(false, true)) {
            if (answer != null) {
                answer.release();
            }
            throw new IllegalStateException("answered twice: " + header);
        }
        kind = how;
        response = answer;
        connection.answered(this);
    }

    boolean isAnswered() {
        return answered.get();
    }

    @Override
    public void deadline(long delayMillis, Runnable action) {
        onExpiry = action;
        if (delayMillis <= PRECISE_UP_TO_MILLIS) {
            timer = connection.schedule(() -> expire(), delayMillis);
        } else {
            deadlineNanos = connection.nanoTime() + TimeUnit.MILLISECONDS.toNanos(delayMillis);
        }
    }

    private void expire() {
        Runnable action = onExpiry;
        onExpiry = null;
        if (action != null && !settled) {
            action.run();
        }
    }

    @Override
    public void offLoop(Executor executor, OffLoop work) {
        offLoop = true;
        try {
            executor.execute(() -> runOffLoop(work));
        } catch (RejectedExecutionException e) {
            work.dropped();
            disconnect();
        }
    }

    private void runOffLoop(OffLoop work) {
        long began = connection.throttle().begin();
        try {
            work.run();
            offLoopNanos = began == ClientThrottle.NOT_TIMED ? 0 : connection.nanoTime() - began;
        } catch (Throwable e) {
            LOG.error("{}: {} failed", connection.client().id(), header, e);
            work.dropped();
            disconnect();
            return;
        }
        try {
            connection.execute(() -> endOffLoop(work));
        } catch (RejectedExecutionException e) {
            work.dropped();
            disconnect();
        }
    }

    private void endOffLoop(OffLoop work) {
        connection.throttle().spent(offLoopNanos);
        long began = connection.throttle().begin();
        try {
            work.done();
        } catch (Throwable e) { // an Error, too: requests behind this one wait for it
            LOG.error("{}: {} failed", connection.client().id(), header, e);
            if (!isAnswered()) {
                disconnect();
            }
        }
        offLoop = false;
        connection.throttle().end(began);
        connection.pump();
    }

    @Override
    public boolean holdMore(int added) {
        boolean room = connection.takeMore(added);
        if (room) {
            more += added;
        }
        return room;
    }

    @Override
    public void onDisconnect(Runnable action) {
        onDisconnect = action;
    }

    @Override
    public void onRightsChange(Runnable action) {
        onRightsChange = action;
    }

    /** Loop only. */
    void rightsChanged() {
        Runnable action = onRightsChange;
        if (action != null && !settled) {
            action.run();
        }
    }

    /** Loop only: the connection closed while this stood in line. */
    void disconnected() {
        Runnable action = onDisconnect;
        onDisconnect = null;
        if (settled) {
            discard();
        } else if (action != null) {
            action.run();
        }
    }

    /** Loop only; called about once a second. */
    void checkDeadline(long nowNanos) {
        if (onExpiry != null && timer == null && nowNanos - deadlineNanos >= 0) {
            expire();
        }
    }

    /** On the connection's loop: from now on the answer may be sent. */
    void settle() {
        settled = true;
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
        if (!connection.client().isOpen()) {
            discard();
        }
    }

    boolean isSettled() {
        return settled;
    }

    boolean disconnects() {
        return kind == Kind.DISCONNECT;
    }

    /** The frame to send, owned by the caller; null if the request has no answer. Loop only, once, when settled. */
    @Nullable
    ByteBuf encode(ByteBufAllocator allocator) {
        ClientThrottle throttle = connection.throttle();
        DeferredResponse answer = response;
        response = null;
        try {
            if (answer == null) {
                throttle.unanswered();
                return null;
            }
            ApiMessage message = answer.make();
            ResponseEncoder.Sized sized = ResponseEncoder.measure(header, message);
            throttle.answering(this, message, sized.bytes());
            return sized.encode(allocator);
        } finally {
            end(answer);
        }
    }

    /** The connection is gone: lets go of what the answer holds. */
    void discard() {
        DeferredResponse answer = response;
        response = null;
        end(answer);
    }

    private void end(@Nullable DeferredResponse answer) {
        if (answer != null) {
            answer.release();
        }
        if (!ended) {
            ended = true;
            connection.ended(this);
        }
    }

    private record Ready(ApiMessage message) implements DeferredResponse {
        @Override
        public ApiMessage make() {
            return message;
        }

        @Override
        public void release() {}
    }
}
