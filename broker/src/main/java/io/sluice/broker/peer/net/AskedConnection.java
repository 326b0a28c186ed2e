package io.sluice.broker.peer.net;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.util.concurrent.ScheduledFuture;
import io.sluice.broker.identity.ClientBounds;
import io.sluice.broker.identity.ClusterSecret;
import io.sluice.broker.peer.PeerException;
import io.sluice.broker.peer.PeerException.Reason;
import io.sluice.broker.peer.PeerHandler.Asked;
import io.sluice.broker.peer.PeerHandlers;
import io.sluice.broker.peer.PeerIdentity;
import io.sluice.broker.peer.Peers;
import io.sluice.broker.peer.net.Frames.Hello;
import io.sluice.store.tls.RefusalLines;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection that another node has opened: has it prove that it is one, agrees to its hello, hands its questions on, and sends the answers
 * in any order.
 */
final class AskedConnection extends FrameReader {
    private static final Logger log = LoggerFactory.getLogger(AskedConnection.class);

    private final Setup setup;
    private final AtomicInteger open = new AtomicInteger();
    private int from = -1;
    private @Nullable ScheduledFuture<?> greeting;
    private @Nullable InetAddress stranger;
    private @Nullable Challenged challenged;

    /** Hello of an end that is to prove itself, and the nonce that it was given. */
    private record Challenged(Hello hello, byte[] helloBytes, byte[] nonce, ClusterSecret secret) {}

    /**
     * Parts that all connections share.
     *
     * @param held bytes of questions of all connections that are not answered, and of answers that are not sent
     */
    record Setup(
            PeerIdentity self,
            PeerHandlers handlers,
            PeerLimits limits,
            PeerTrust trust,
            HeldBytes held,
            Refusals refusals) {
        Setup(PeerIdentity self, PeerHandlers handlers, PeerLimits limits, PeerTrust trust) {
            this(self, handlers, limits, trust, new HeldBytes(limits.bytes()), new Refusals(log));
        }
    }

    AskedConnection(Setup setup) {
        super(setup.held(), Frames.QUESTION_HEADER);
        this.setup = setup;
    }

    private boolean agreed() {
        return from >= 0;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        if (!(ctx.channel().remoteAddress() instanceof InetSocketAddress remote)
                || !setup.refusals().strangers().enter(remote.getAddress())) {
            stop();
            ctx.close();
            return;
        }
        stranger = remote.getAddress();
        greeting = ctx.executor()
                .schedule(() -> fail(ctx, "no hello"), setup.limits().connect().toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    int mostBytes() {
        return agreed() ? super.mostBytes() : Hello.MOST_BYTES;
    }

    @Override
    boolean admits() {
        return open.get() < setup.limits().questions();
    }

    @Override
    void frame(ChannelHandlerContext ctx, ByteBuf header, byte[] body) {
        int correlation = header.readInt();
        short kind = header.readShort();
        short version = header.readShort();
        int millis = header.readInt();
        if (!agreed()) {
            setup.held().give(body.length);
            introduce(ctx, correlation, kind, body);
        } else if (kind == Frames.PING) {
            setup.held().give(body.length);
            ctx.writeAndFlush(Frames.answer(ctx.alloc(), correlation, Frames.OK, new byte[0]));
        } else {
            long left = TimeUnit.MILLISECONDS.toNanos(Math.clamp(millis, 0, Peers.MOST_WAIT.toMillis()));
            answer(ctx.channel(), correlation, kind, new Asked(from, version, body, System.nanoTime() + left));
        }
    }

    private void introduce(ChannelHandlerContext ctx, int correlation, short kind, byte[] body) {
        Challenged known = challenged;
        if (known == null) {
            greet(ctx, correlation, kind, body);
        } else if (kind != Frames.PROOF || correlation != 0) {
            fail(ctx, "no proof of the cluster's secret");
        } else {
            challenged = null;
            prove(ctx, known, body);
        }
    }

    private void greet(ChannelHandlerContext ctx, int correlation, short kind, byte[] body) {
        Hello hello;
        try {
            hello = Hello.read(body);
        } catch (RuntimeException e) {
            hello = null;
        }
        if (kind != Frames.HELLO
                || correlation != 0
                || hello == null
                || hello.identity().node() < 0) {
            fail(ctx, "no hello of a node");
            return;
        }
        ClusterSecret secret = setup.trust().secret();
        if (secret == null) {
            agree(ctx, hello, null);
            return;
        }
        challenged = new Challenged(hello, body, Exchange.nonce(), secret);
        byte[] challenge = Exchange.challenge(setup.self().node(), challenged.nonce());
        ctx.writeAndFlush(Frames.answer(ctx.alloc(), 0, Frames.CHALLENGE, challenge));
    }

    private void prove(ChannelHandlerContext ctx, Challenged known, byte[] shown) {
        Exchange exchange = Exchange.verified(known.secret(), known.nonce(), known.helloBytes(), shown);
        if (exchange != null) {
            agree(ctx, known.hello(), exchange);
            return;
        }
        // Whoever tries secrets is told late that it was not this one.
        ctx.channel().config().setAutoRead(false);
        stop();
        ctx.executor()
                .schedule(
                        () -> refuse(ctx, Frames.DISTRUSTED, "it does not know the cluster's secret"),
                        ClientBounds.REFUSAL_DELAY_MILLIS,
                        TimeUnit.MILLISECONDS);
    }

    private void refuse(ChannelHandlerContext ctx, byte status, String why) {
        stop();
        setup.refusals()
                .lines()
                .warn(
                        "Refused a connection of {} to the internal listener: {}",
                        ctx.channel().remoteAddress(),
                        why);
        ctx.writeAndFlush(Frames.answer(ctx.alloc(), 0, status, Frames.message(why)))
                .addListener(ChannelFutureListener.CLOSE);
    }

    private void agree(ChannelHandlerContext ctx, Hello hello, @Nullable Exchange exchange) {
        String why = whyNot(hello);
        if (why != null) {
            refuse(ctx, Frames.status(Reason.REFUSED), why);
            return;
        }
        stopWaiting();
        from = hello.identity().node();
        byte[] own = new Hello(setup.self(), from).bytes();
        byte[] answer = exchange == null ? own : exchange.answer(own);
        ctx.writeAndFlush(Frames.answer(ctx.alloc(), 0, Frames.OK, answer));
    }

    /** It is a node, or gone. */
    private void stopWaiting() {
        if (greeting != null) {
            greeting.cancel(false);
        }
        if (stranger != null) {
            setup.refusals().strangers().left(stranger);
            stranger = null;
        }
    }

    private @Nullable String whyNot(Hello hello) {
        PeerIdentity other = hello.identity();
        PeerIdentity self = setup.self();
        if (!other.clusterId().equals(self.clusterId())) {
            return "node " + other.node() + " is of cluster " + other.clusterId() + ", this is node " + self.node()
                    + " of cluster " + self.clusterId();
        }
        if (hello.node() != self.node()) {
            return "node " + other.node() + " looks for node " + hello.node() + ", this is node " + self.node();
        }
        return null;
    }

    private void answer(Channel channel, int correlation, short kind, Asked asked) {
        open.incrementAndGet();
        setup.handlers().answer(kind, asked).whenComplete((answer, why) -> {
            PeerException known = PeerException.in(why);
            if (answer != null && answer.length > Peers.MOST_BYTES) {
                log.error("An answer to a question of kind {} has {} bytes, which is too much", kind, answer.length);
                known = new PeerException(Reason.FAILED, "the answer is larger than " + Peers.MOST_BYTES + " bytes");
            }
            byte status = known == null ? Frames.OK : Frames.status(known.reason());
            byte[] body = known == null ? answer : Frames.message(String.valueOf(known.getMessage()));
            long more = body.length - (long) asked.body().length;
            setup.held().take(more); // from here on it is the answer that is held
            channel.writeAndFlush(Frames.answer(channel.alloc(), correlation, status, body))
                    .addListener(done -> {
                        open.decrementAndGet();
                        setup.held().give(body.length);
                    });
        });
    }

    /** More than may be open, or no room for its bytes: the node that asks knows how to wait. */
    @Override
    void skipped(ChannelHandlerContext ctx, ByteBuf header) {
        if (!agreed()) {
            fail(ctx, "a hello while there is no room");
            return;
        }
        byte[] why = Frames.message("node " + setup.self().node() + " has too many questions to answer");
        ctx.writeAndFlush(Frames.answer(ctx.alloc(), header.readInt(), Frames.status(Reason.OVERLOADED), why));
    }

    @Override
    void garbage(ChannelHandlerContext ctx, String what) {
        setup.refusals()
                .lines()
                .warn("Closed the internal connection of {}: {}", ctx.channel().remoteAddress(), what);
        ctx.close();
    }

    /** A node that is connected asks for signs of life where nothing else is asked. */
    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof IdleStateEvent) {
            ctx.close();
        } else if (event instanceof SslHandshakeCompletionEvent done && done.cause() instanceof SSLException why) {
            fail(ctx, RefusalLines.tlsFailure(why));
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        ctx.channel().config().setAutoRead(ctx.channel().isWritable());
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        super.channelInactive(ctx);
        stopWaiting();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close(); // reset by the other end, as a rule
    }
}
