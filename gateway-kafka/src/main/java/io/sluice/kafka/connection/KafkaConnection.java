package io.sluice.kafka.connection;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.sluice.broker.identity.LoginException;
import io.sluice.broker.memory.ConnectionMemory;
import io.sluice.broker.memory.MeasuredReads;
import io.sluice.kafka.api.Api;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.RawApiHandler;
import io.sluice.kafka.wire.FrameAssembler;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.requests.AbstractRequest;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client.
 *
 * <pre>
 *  socket ─► FrameAssembler ─► its turn? ─► handler ─► ... any thread ... ─► FinishedRequests ─► line ─► socket
 *     ▲            │                                                                          │
 *     └── read again when: the line has room, memory has room, the client reads its answers ◄─┘
 *                          and is not over its quota
 * </pre>
 *
 * <p>All state belongs to the channel's loop. Requests are started in the order they came and answered in that order. One
 * is under way at a time, as in Kafka, so that a request sees what those before it did even if the client has not waited
 * for their answers. Requests of an API that {@linkplain Api#overlapsItsKind overlaps its kind} run side by side: no client
 * can tell, and pipelined produce requests share the log's writes.
 */
public final class KafkaConnection extends ChannelInboundHandlerAdapter
        implements PendingRequest.Host, ConnectionMemory.Reader {
    private static final Logger LOG = LoggerFactory.getLogger(KafkaConnection.class);

    /** Bytes of a request that a client has before it has shown who it is. */
    private static final int LOGIN_FRAME = 64 << 10;

    private final ConnectionSetup setup;
    private final Channel channel;
    private final LoopConnections.OfLoop loop;
    private final FrameAssembler frames;
    private final ConnectionMemory memory;
    private final ArrayDeque<PendingRequest> line = new ArrayDeque<>();
    private final ConnectedClient client;
    private final int largest;
    private boolean open = true;
    private boolean waitsForClientToRead;

    /** A whole request that waits for those in the line. */
    private @Nullable ByteBuf next;

    private boolean pumping;
    private final ConnectionTimes times;
    private final ClientThrottle throttle;

    public KafkaConnection(ConnectionSetup setup, LoopConnections loops, Channel channel) {
        this.setup = setup;
        this.channel = channel;
        this.loop = loops.of(channel.eventLoop());
        this.largest = (int) Math.min(
                setup.limits().maxRequestBytes(), setup.memory().memory().largestFrame());
        this.client = new ConnectedClient(setup, channel);
        this.frames = new FrameAssembler(channel.alloc(), client.isKnown() ? largest : Math.min(LOGIN_FRAME, largest));
        this.memory = new ConnectionMemory(setup.memory(), this);
        RecvByteBufAllocator usual = channel.config().getRecvByteBufAllocator();
        channel.config().setRecvByteBufAllocator(new MeasuredReads(usual, memory));
        this.times = new ConnectionTimes(setup.limits(), nanoTime());
        this.throttle = new ClientThrottle(setup, this);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        loop.connections().add(this);
        int count = setup.meters().connections.incrementAndGet();
        if (count > setup.limits().maxConnections()) {
            LOG.debug(
                    "{} closed: more than {} connections", id(), setup.limits().maxConnections());
            channel.close();
        } else if (!client.enter()) {
            LOG.debug("{} closed: its address has too many connections", id());
            channel.close();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof SslHandshakeCompletionEvent handshake && !handshake.isSuccess()) {
            client.handshakeFailed(handshake.cause());
        } else if (event instanceof SslHandshakeCompletionEvent) {
            try {
                client.handshakeDone(
                        ctx.pipeline().get(SslHandler.class).engine().getSession());
            } catch (LoginException e) {
                bad(String.valueOf(e.getMessage()));
            }
        }
        ctx.fireUserEventTriggered(event);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf chunk = (ByteBuf) message;
        int bytes = chunk.readableBytes();
        setup.meters().bytesIn.increment(bytes);
        times.traffic(nanoTime());
        if (!open) {
            chunk.release();
            return;
        }
        frames.add(chunk);
        memory.received(bytes);
        pump();
    }

    @Override
    public void pump() {
        if (pumping || !open) {
            return; // an answer given at once comes back here
        }
        pumping = true;
        long began = throttle.begin();
        try {
            for (ByteBuf frame = takeNext(); frame != null; frame = takeNext()) {
                start(frame);
            }
        } catch (FrameAssembler.BadFrame e) {
            bad(String.valueOf(e.getMessage()));
        } finally {
            pumping = false;
            throttle.end(began);
        }
        if (open) {
            // With nothing left over one more piece may come, so that a client that leaves is noticed.
            boolean wants = wantsNext();
            frames.trim();
            boolean room = memory.holds(frames.held(), wants ? frames.missing() : 0);
            channel.config().setAutoRead(room && (wants || frames.buffered() == 0));
        }
    }

    /** A request may come that can be started at once. */
    private boolean wantsNext() {
        PendingRequest last = line.peekLast();
        boolean room = last == null
                || (last.mayBeJoined() && line.size() < setup.limits().maxInFlight());
        return room && next == null && !waits();
    }

    /** No request is to be started now, whichever it is. */
    private boolean waits() {
        return waitsForClientToRead || throttle.isOn();
    }

    /** The next request if it is its turn, owned by the caller. */
    private @Nullable ByteBuf takeNext() throws FrameAssembler.BadFrame {
        if (!channel.isActive()) {
            return null; // the request before it closed the connection
        }
        if (wantsNext()) {
            if (client.isKnown()) {
                frames.setLargest(largest);
            }
            next = frames.next();
            if (next != null) {
                setup.memory().take(bytesOf(next));
                memory.completed(1, next.readableBytes());
            }
        }
        ByteBuf frame = next;
        if (frame == null || waits() || !isItsTurn(frame)) {
            return null;
        }
        next = null;
        return frame;
    }

    /** All that are in the line either are one request, or of one API that overlaps its kind. */
    private boolean isItsTurn(ByteBuf frame) {
        PendingRequest last = line.peekLast();
        return last == null
                || (last.mayBeJoined()
                        && RequestReader.isOf(last.api(), frame)
                        && line.size() < setup.limits().maxInFlight());
    }

    private static int bytesOf(ByteBuf frame) {
        return frame.readableBytes() + Integer.BYTES;
    }

    private void start(ByteBuf frame) {
        int bytes = bytesOf(frame);
        PendingRequest request = null;
        try {
            Api api = RequestReader.api(setup.apis(), frame);
            if (!client.admits(api.key())) {
                throw new InvalidRequestException(api.key().name + " of a client that has not shown who it is");
            }
            request = new PendingRequest(this, api, RequestReader.header(api, frame), bytes);
            setup.meters().request(api.key());
            line.add(request);
            throttle.taken(request);
            dispatch(api, request, frame);
        } catch (InvalidRequestException e) {
            if (request == null) {
                setup.memory().giveBack(bytes);
            } else {
                request.discard();
            }
            bad(String.valueOf(e.getMessage()));
        } catch (RuntimeException | Error e) {
            LOG.error("{}: {} failed", id(), request == null ? "a request" : request.header(), e);
            if (request == null) {
                setup.memory().giveBack(bytes);
                channel.close();
            } else if (!request.isAnswered()) {
                request.disconnect();
            }
        } finally {
            frame.release();
        }
    }

    private void dispatch(Api api, PendingRequest request, ByteBuf frame) {
        switch (api) {
            case RawApiHandler raw -> raw.handle(request, frame);
            case ApiHandler parsing -> {
                AbstractRequest parsed = RequestReader.body(api, request.header(), frame);
                request.parsed(parsed);
                parsing.handle(request, parsed);
            }
        }
    }

    private String id() {
        return client.id();
    }

    private void bad(String why) {
        setup.meters().badRequests.increment();
        LOG.debug("{} closed: {}", id(), why);
        channel.close();
    }

    /** With one flush. */
    @Override
    public void sendReady() {
        if (!open) {
            return;
        }
        long began = throttle.begin();
        boolean sent = false;
        for (PendingRequest r = line.peek(); r != null && r.isSettled() && open; r = line.peek()) {
            line.poll();
            sent |= send(r);
        }
        if (sent) {
            times.traffic(nanoTime());
            channel.flush();
        }
        throttle.end(began);
        pump();
    }

    private boolean send(PendingRequest request) {
        if (request.disconnects()) {
            request.discard();
            channel.flush();
            channel.close();
            return false;
        }
        ByteBuf frame;
        try {
            frame = request.encode(channel.alloc());
        } catch (RuntimeException | Error e) {
            LOG.error("{}: the answer to {} cannot be encoded", id(), request.header(), e);
            channel.close();
            return false;
        }
        if (frame == null) {
            return false;
        }
        setup.meters().bytesOut.increment(frame.readableBytes());
        setup.meters().answered(request.api().key(), nanoTime() - request.startNanos());
        channel.write(frame, channel.voidPromise());
        return true;
    }

    @Override
    public void ended(PendingRequest request) {
        setup.memory().giveBack(request.bytes());
        if (request.more() > 0) {
            setup.memory().giveBackMore(request.more());
        }
    }

    @Override
    public void readOn() {
        onLoop(this::pump);
    }

    @Override
    public void tooSlow() {
        onLoop(() -> bad("its request stopped arriving, and its memory is needed"));
    }

    private void onLoop(Runnable part) {
        try {
            channel.eventLoop().execute(() -> guard(part));
        } catch (java.util.concurrent.RejectedExecutionException e) {
            LOG.debug("{}: its loop has ended", id());
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        waitsForClientToRead = !channel.isWritable();
        pump();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        close();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        close();
    }

    private void close() {
        if (!open) {
            return;
        }
        open = false;
        loop.connections().remove(this);
        client.left();
        setup.meters().connections.decrementAndGet();
        throttle.close();
        frames.close();
        memory.close();
        if (next != null) {
            setup.memory().giveBack(bytesOf(next));
            next.release();
            next = null;
        }
        for (PendingRequest request : line) {
            request.disconnected();
        }
        line.clear();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        LOG.debug("{} closed: {}", id(), cause.toString());
        channel.close();
    }

    @Override
    public void guard(Runnable part) {
        try {
            part.run();
        } catch (Throwable e) {
            LOG.error("{} closed: its loop's work for it failed", id(), e);
            channel.close();
        }
    }

    /** Bytes of answers of which the client has taken nothing for a while; as of the last sweep. */
    long stalledBytes() {
        return times.stalledBytes(nanoTime());
    }

    /** Since when; the smaller the longer. */
    long stalledSince() {
        return times.stalledSince();
    }

    void closeStalled() {
        bad("it does not read its answers, and they are needed back");
    }

    /** Has requests that wait look again at what their client may do. Any thread. */
    void rightsChanged() {
        onLoop(() -> List.copyOf(line).forEach(PendingRequest::rightsChanged));
    }

    /** Looks at every limit in time. */
    void sweep() {
        long now = nanoTime();
        List.copyOf(line).forEach(request -> request.checkDeadline(now));
        boolean waitsForBytes = frames.buffered() > 0 && channel.config().isAutoRead();
        var outbound = channel.unsafe().outboundBuffer();
        long unread = outbound == null ? 0 : outbound.totalPendingWriteBytes() - outbound.currentProgress();
        times.unread(unread, now);
        if (!client.isKnown() && times.isLoginOver(now)) {
            bad("it has not shown in time who it is");
        } else if (client.isIdentityGone()) {
            bad("its user, token or certificate was taken away");
        } else if (waitsForBytes && times.isRequestStalled(now)) {
            bad("its request stopped arriving");
        } else if (times.isUnread(now)) {
            bad("it does not read its answers");
        } else if (line.isEmpty() && times.isIdle(now)) {
            LOG.debug("{} closed: idle", id());
            channel.close();
        }
    }

    @Override
    public void answered(PendingRequest request) {
        loop.finished().add(request);
    }

    @Override
    public ClientThrottle throttle() {
        return throttle;
    }

    @Override
    public boolean takeMore(int bytes) {
        return setup.memory().takeMore(bytes);
    }

    @Override
    public void execute(Runnable action) {
        channel.eventLoop().execute(action);
    }

    @Override
    public Future<?> schedule(Runnable action, long delayMillis) {
        return channel.eventLoop().schedule(action, delayMillis, TimeUnit.MILLISECONDS);
    }

    @Override
    public long nanoTime() {
        return setup.nanoTime().getAsLong();
    }

    @Override
    public ConnectedClient client() {
        return client;
    }
}
