package io.sluice.broker.peer.net;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.util.concurrent.ScheduledFuture;
import io.sluice.broker.identity.ClusterSecret;
import io.sluice.broker.peer.net.Frames.Hello;
import io.sluice.store.tls.RefusalLines;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The connection of a {@link PeerLink}: says hello, proves itself, hands answers on, and finds out when the other end is gone without a word. */
final class LinkConnection extends FrameReader {
    private static final Logger log = LoggerFactory.getLogger(LinkConnection.class);

    /** The other end is gone after so many times in a row in which it was quiet. */
    private static final int MOST_QUIET = 3;

    private final PeerLink link;
    private final PeerLink.Setup setup;
    private final byte[] hello;
    private boolean agreed;
    private @Nullable Exchange exchange;
    private int quiet;
    private @Nullable ScheduledFuture<?> greeting;

    LinkConnection(PeerLink link, PeerLink.Setup setup) {
        super(setup.answers(), Frames.ANSWER_HEADER);
        this.link = link;
        this.setup = setup;
        this.hello = new Hello(setup.self(), link.node()).bytes();
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        ctx.writeAndFlush(Frames.question(ctx.alloc(), 0, Frames.HELLO, Frames.PROTOCOL, 0, hello));
        greeting = ctx.executor()
                .schedule(
                        () -> link.lost(ctx.channel(), "node " + link.node() + " does not answer a hello"),
                        setup.limits().connect().toMillis(),
                        TimeUnit.MILLISECONDS);
    }

    private void stopWaiting() {
        if (greeting != null) {
            greeting.cancel(false);
        }
    }

    @Override
    int mostBytes() {
        return agreed ? super.mostBytes() : Hello.MOST_BYTES;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        quiet = 0;
        super.channelRead(ctx, message);
    }

    @Override
    void frame(ChannelHandlerContext ctx, ByteBuf header, byte[] body) {
        int correlation = header.readInt();
        byte status = header.readByte();
        try {
            if (!agreed) {
                greeted(ctx, correlation, status, body);
            } else if (correlation != 0) {
                checkAsked(ctx, correlation);
                link.answered(correlation, status, body);
            }
        } finally {
            setup.answers().give(body.length);
        }
    }

    private void greeted(ChannelHandlerContext ctx, int correlation, byte status, byte[] body) {
        if (correlation != 0) {
            fail(ctx, "an answer before the hello's");
            return;
        }
        if (status == Frames.CHALLENGE && exchange == null) {
            prove(ctx, body);
            return;
        }
        stopWaiting();
        if (status != Frames.OK) {
            stop();
            if (status == Frames.CHALLENGE || status == Frames.DISTRUSTED) {
                link.distrusted(ctx.channel(), Frames.line(body));
            } else {
                link.refused(ctx.channel(), Frames.line(body));
            }
            return;
        }
        byte[] proved = proved(body);
        if (proved == null) {
            distrust(ctx, "it does not prove that it knows the cluster's secret");
            return;
        }
        Hello other;
        try {
            other = Hello.read(proved);
        } catch (RuntimeException e) {
            fail(ctx, "a hello that cannot be read");
            return;
        }
        if (other.identity().node() != link.node()
                || !other.identity().clusterId().equals(setup.self().clusterId())) {
            stop();
            link.refused(
                    ctx.channel(),
                    "it is node " + other.identity().node() + " of cluster "
                            + other.identity().clusterId());
            return;
        }
        agreed = true;
        link.agreed(ctx.channel());
    }

    private void prove(ChannelHandlerContext ctx, byte[] challenge) {
        ClusterSecret secret = setup.trust().secret();
        if (secret == null) {
            distrust(ctx, "it asks for a proof of the cluster's secret, and this node has none (internal.secretFile)");
            return;
        }
        exchange = Exchange.answering(secret, challenge, hello);
        if (exchange == null) {
            fail(ctx, "a challenge that cannot be read");
            return;
        }
        ctx.writeAndFlush(Frames.question(ctx.alloc(), 0, Frames.PROOF, Frames.PROTOCOL, 0, exchange.proof()));
    }

    /** Hello of an end that has proved itself, if it has to; else null. */
    private byte @Nullable [] proved(byte[] body) {
        if (setup.trust().secret() == null) {
            return body;
        }
        return exchange == null ? null : exchange.helloOf(body);
    }

    private void distrust(ChannelHandlerContext ctx, String why) {
        stopWaiting();
        stop();
        link.distrusted(ctx.channel(), why);
    }

    private void checkAsked(ChannelHandlerContext ctx, int correlation) {
        if (!link.hasAsked(correlation)) {
            fail(ctx, "an answer to question " + correlation + ", which was not asked");
        }
    }

    @Override
    void skipped(ChannelHandlerContext ctx, ByteBuf header) {
        link.unread(header.readInt());
    }

    @Override
    void garbage(ChannelHandlerContext ctx, String what) {
        log.warn(
                "Closed the connection to node {} at {}: it sent {}",
                link.node(),
                ctx.channel().remoteAddress(),
                what);
        link.lost(ctx.channel(), "node " + link.node() + " sent " + what);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof SslHandshakeCompletionEvent done && done.cause() instanceof SSLException why) {
            distrust(ctx, RefusalLines.tlsFailure(why));
        }
        if (!(event instanceof IdleStateEvent) || !agreed) {
            return;
        }
        quiet++;
        if (quiet >= MOST_QUIET) {
            link.lost(ctx.channel(), "node " + link.node() + " gives no sign of life");
        } else {
            ctx.writeAndFlush(Frames.question(ctx.alloc(), 0, Frames.PING, (short) 0, 0, new byte[0]));
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        super.channelInactive(ctx);
        stopWaiting();
        link.lost(ctx.channel(), "the connection to node " + link.node() + " was lost");
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (!agreed && cause.getCause() instanceof SSLException why) {
            distrust(
                    ctx,
                    RefusalLines.tlsFailure(
                            why)); // of TLS 1.3: the other end looks at our certificate when we are through
        }
        link.lost(ctx.channel(), "the connection to node " + link.node() + " was lost: " + cause.getMessage());
    }
}
