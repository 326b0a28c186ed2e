package io.sluice.broker.peer.net;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.sluice.broker.cluster.Refusals;
import io.sluice.broker.peer.PeerAddresses;
import io.sluice.broker.peer.PeerHandlers;
import io.sluice.broker.peer.PeerIdentity;
import io.sluice.broker.peer.PeerQuestion;
import io.sluice.broker.peer.Peers;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * This node's end of the internal protocol: asks other nodes, and answers once it listens.
 *
 * <pre>
 *   PeerNetwork network = new PeerNetwork(identity, addresses, handlers, limits, trust);
 *   int port = network.listen(host, 0);      // from here on others are answered
 *   network.ask(2, question, timeout)
 * </pre>
 */
public final class PeerNetwork implements Peers, Refusals, AutoCloseable {
    private static final int BACKLOG = 256;
    private static final long CLOSE_MILLIS = 1_500;

    /** Above it no more questions are read from a connection until its answers have gone out. */
    private static final WriteBufferWaterMark UNSENT = new WriteBufferWaterMark(256 << 10, 1 << 20);

    /** Questions come at least as often on a connection that is in order, in multiples of what is quiet. */
    private static final int MOST_QUIET = 5;

    private final PeerLimits limits;
    private final PeerLink.Setup asking;
    private final AskedConnection.Setup answering;
    private final EventLoopGroup threads;
    private final Map<Integer, PeerLink> links = new ConcurrentHashMap<>();
    private final ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);

    /** @param trust whom this node takes for a node, and how it proves that it is one */
    public PeerNetwork(
            PeerIdentity self, PeerAddresses addresses, PeerHandlers handlers, PeerLimits limits, PeerTrust trust) {
        this.limits = limits;
        this.threads = new MultiThreadIoEventLoopGroup(
                1,
                new DefaultThreadFactory("peer-io", true),
                Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
        Bootstrap bootstrap = new Bootstrap()
                .channel(Epoll.isAvailable() ? EpollSocketChannel.class : NioSocketChannel.class)
                .option(
                        ChannelOption.CONNECT_TIMEOUT_MILLIS,
                        Math.toIntExact(limits.connect().toMillis()))
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_KEEPALIVE, true);
        this.asking = new PeerLink.Setup(
                self,
                addresses,
                bootstrap,
                task -> Thread.ofVirtual().name("peer-name").start(task),
                limits,
                trust,
                new HeldBytes(limits.bytes()));
        this.answering = new AskedConnection.Setup(self, handlers, limits, trust);
    }

    /**
     * Binds; from here on other nodes are answered.
     *
     * @param port 0 for any free one
     * @return the port
     */
    public int listen(String host, int port) throws IOException {
        long quiet = limits.quiet().toMillis() * MOST_QUIET;
        ChannelFuture bound = new ServerBootstrap()
                .group(threads)
                .channel(Epoll.isAvailable() ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, UNSENT)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        if (channels.size() > limits.connections()) {
                            channel.close();
                            return;
                        }
                        channels.add(channel);
                        answering.trust().answerer(channel, limits.connect());
                        channel.pipeline()
                                .addLast(new IdleStateHandler(quiet, 0, 0, TimeUnit.MILLISECONDS))
                                .addLast(new AskedConnection(answering));
                    }
                })
                .bind(new InetSocketAddress(host, port))
                .awaitUninterruptibly();
        Throwable failure = bound.cause();
        if (failure != null) {
            throw new IOException(failure.getMessage(), failure);
        }
        channels.add(bound.channel());
        return ((InetSocketAddress) bound.channel().localAddress()).getPort();
    }

    @Override
    public CompletableFuture<byte[]> ask(int node, PeerQuestion question, Duration timeout) {
        Duration wait = timeout.compareTo(MOST_WAIT) < 0 ? timeout : MOST_WAIT;
        return link(node).ask(question, wait);
    }

    /** Stays connected to these nodes from now on, and tries again where it is not, every 100 ms where it is refused; so {@link #refusedAt} is known of them. */
    public void stayConnected(Set<Integer> nodes) {
        nodes.forEach(this::link);
        links.forEach((node, link) -> link.stayConnected(nodes.contains(node)));
    }

    @Override
    public OptionalLong refusedAt(int node) {
        PeerLink link = links.get(node);
        return link == null ? OptionalLong.empty() : link.refusedAt();
    }

    private PeerLink link(int node) {
        return links.computeIfAbsent(node, id -> new PeerLink(id, asking, threads.next()));
    }

    /** Bytes of others' questions that are not answered, and of answers that are not sent. */
    long heldForOthers() {
        return answering.held().held();
    }

    /** Questions under way fail; those of others are not answered any more. Within two seconds. */
    @Override
    public void close() {
        links.values().forEach(PeerLink::close);
        channels.close().awaitUninterruptibly(CLOSE_MILLIS / 2);
        threads.shutdownGracefully(0, CLOSE_MILLIS, TimeUnit.MILLISECONDS).awaitUninterruptibly(CLOSE_MILLIS);
    }
}
