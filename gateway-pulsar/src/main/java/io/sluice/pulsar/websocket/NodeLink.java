package io.sluice.pulsar.websocket;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.cluster.Endpoint;
import io.sluice.broker.identity.KnownClient;
import io.sluice.broker.peer.PeerException;
import io.sluice.pulsar.PulsarGateway;
import io.sluice.pulsar.services.GatewayServices;
import io.sluice.pulsar.services.IntroducedClients;
import io.sluice.pulsar.wire.FrameDecoder;
import io.sluice.pulsar.wire.Replies;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.protocol.Commands;
import org.jspecify.annotations.Nullable;

/**
 * A link to the gateway of another node, over TCP, on the loop of its socket.
 *
 * <pre>
 *   the node is asked to expect the client ─► ticket ─► connection to its listener for clients, CONNECT ─► open
 * </pre>
 *
 * <p>A connection that lacks room stops the client, and a client that takes nothing stops the connection.
 */
final class NodeLink extends GatewayLink {
    private static final int CONNECT_MILLIS = 5_000;
    /** Looks without a word of the node after which it is given up, while it is read. */
    private static final int MOST_QUIET = 3;

    private final ClusterNode node;
    private final EventLoop loop;
    private final SocketMemory.Share memory;
    private final List<Opened> waiting = new ArrayList<>();
    private @Nullable Channel channel;
    private boolean open;
    private boolean ended;
    private String failure = "";
    private int quiet;
    /** Bytes of a frame that has not come as a whole. */
    private int held;

    /** @param memory of the socket */
    NodeLink(Holder holder, ClusterNode node, EventLoop loop, SocketMemory.Share memory) {
        super(holder);
        this.node = node;
        this.loop = loop;
        this.memory = memory;
    }

    /** One of the two, once. */
    interface Opened {
        void opened();

        void failed(String why);
    }

    /** Whether it can be used no more. */
    boolean isEnded() {
        return ended;
    }

    /** Tells when the link is open, or that it will not be. */
    void whenOpen(Opened then) {
        if (open) {
            then.opened();
        } else if (ended) {
            then.failed(failure);
        } else {
            waiting.add(then);
        }
    }

    /** @param address of the client */
    void connect(OtherGateways others, GatewayServices services, KnownClient client, InetSocketAddress address) {
        Endpoint endpoint = node.endpoint(ClusterNode.PULSAR);
        if (endpoint == null) {
            fail("it does not listen for Pulsar's clients");
            return;
        }
        boolean tls = services.config().isTls();
        services.tasks().start("introduce a client to another node", () -> {
            try {
                byte[] ticket =
                        others.introduce(node.id(), client.principal(), address).get();
                InetSocketAddress at = new InetSocketAddress(endpoint.host(), endpoint.port()); // looks its name up
                execute(() -> connect(at, tls ? others : null, endpoint, ticket));
            } catch (ExecutionException e) {
                PeerException known = PeerException.in(e);
                String why = String.valueOf(known == null ? e.getCause() : known.getMessage());
                execute(() -> fail(why));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                execute(() -> fail("this server stops"));
            }
        });
    }

    /** @param tls null for none */
    private void connect(InetSocketAddress at, @Nullable OtherGateways tls, Endpoint endpoint, byte[] ticket) {
        if (ended) {
            return;
        }
        if (at.isUnresolved()) {
            fail(endpoint.host() + " has no address");
            return;
        }
        ChannelFuture connecting = new Bootstrap()
                .group(loop)
                .channel(Epoll.isAvailable() ? EpollSocketChannel.class : NioSocketChannel.class)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
                .option(ChannelOption.TCP_NODELAY, true)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel made) {
                        if (tls != null) {
                            made.pipeline().addLast(tls.tls(made.alloc(), endpoint));
                        }
                        made.pipeline().addLast(new FrameDecoder(NodeLink.this), new Life());
                    }
                })
                .connect(at);
        channel = connecting.channel();
        connecting.addListener(done -> {
            if (done.isSuccess()) {
                send(connect(ticket));
            } else {
                fail(String.valueOf(done.cause().getMessage()));
            }
        });
    }

    private static ByteBuf connect(byte[] ticket) {
        BaseCommand command = new BaseCommand().setType(BaseCommand.Type.CONNECT);
        command.setConnect()
                .setClientVersion(PulsarGateway.WEB_SOCKET)
                .setProtocolVersion(Replies.newestVersion())
                .setAuthMethodName(IntroducedClients.METHOD)
                .setAuthData(ticket);
        return Commands.serializeWithSize(command);
    }

    private void fail(String why) {
        failure = why;
        end();
    }

    /** Has the node give a sign of life. One that gives none is gone. */
    void look() {
        if (channel == null || !channel.config().isAutoRead()) {
            quiet = 0; // it may be there, and is not heard
            return;
        }
        quiet++;
        if (quiet > MOST_QUIET) {
            fail("it does not answer");
        } else {
            send(Replies.ping());
        }
    }

    @Override
    EventLoop loop() {
        return loop;
    }

    @Override
    void write(ByteBuf frame) {
        Objects.requireNonNull(channel).write(frame);
    }

    @Override
    void flush() {
        Channel to = channel;
        if (to != null) {
            to.flush();
        }
    }

    @Override
    void resume() {
        Channel from = channel;
        if (from != null) {
            from.config().setAutoRead(isWanted());
        }
    }

    @Override
    void end() {
        if (channel == null) {
            gone();
        } else {
            channel.close();
        }
    }

    private void gone() {
        if (!ended) {
            ended = true;
            memory.give(held);
            held = 0;
            closed();
        }
    }

    @Override
    void lost(@Nullable String why) {
        if (open) {
            super.lost(why);
            return;
        }
        String line = "node " + node.id() + " does not take the client: "
                + (why != null ? why : failure.isEmpty() ? "it has closed the connection" : failure);
        failure = line;
        waiting.forEach(each -> each.failed(line));
        waiting.clear();
    }

    // ---- from the node

    @Override
    void connected() {
        open = true;
        waiting.forEach(Opened::opened);
        waiting.clear();
    }

    @Override
    public void received(int bytes, int frames, int largest, FrameDecoder.Left left) {
        quiet = 0;
        int more = left.held() - held;
        held = left.held();
        if (more < 0) {
            memory.give(-more);
        } else if (!memory.take(more)) {
            holder().overloaded();
        }
        resume();
    }

    /** Ends of the connection, and its room. */
    private final class Life extends ChannelInboundHandlerAdapter {
        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            gone();
        }

        @Override
        public void channelUnregistered(ChannelHandlerContext ctx) {
            gone(); // of one that was never connected, too
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext ctx) {
            holder().reads(NodeLink.this, ctx.channel().isWritable());
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            failure = String.valueOf(cause.getMessage());
            ctx.close();
        }
    }
}
