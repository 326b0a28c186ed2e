package io.sluice.kafka;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.sluice.broker.access.Operation;
import io.sluice.broker.cluster.ClientConnections;
import io.sluice.broker.cluster.Cluster;
import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.cluster.Endpoint;
import io.sluice.broker.identity.ServerTls;
import io.sluice.broker.memory.ProtocolShare;
import io.sluice.broker.memory.RequestMemory;
import io.sluice.broker.quota.ClientRates;
import io.sluice.conversion.EntryConversions;
import io.sluice.kafka.api.Api;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.connection.ConnectionLimits;
import io.sluice.kafka.connection.ConnectionSetup;
import io.sluice.kafka.connection.GatewayMeters;
import io.sluice.kafka.connection.KafkaConnection;
import io.sluice.kafka.connection.LoopConnections;
import io.sluice.kafka.connection.RightsWatch;
import io.sluice.kafka.fetch.FetchSessions;
import io.sluice.kafka.fetch.FetchWaits;
import io.sluice.kafka.handler.AlterConfigsHandler;
import io.sluice.kafka.handler.ApiVersionsHandler;
import io.sluice.kafka.handler.CreatePartitionsHandler;
import io.sluice.kafka.handler.CreateTopicsHandler;
import io.sluice.kafka.handler.DeleteRecordsHandler;
import io.sluice.kafka.handler.DeleteTopicsHandler;
import io.sluice.kafka.handler.DescribeClusterHandler;
import io.sluice.kafka.handler.DescribeConfigsHandler;
import io.sluice.kafka.handler.DescribeLogDirsHandler;
import io.sluice.kafka.handler.DescribeProducersHandler;
import io.sluice.kafka.handler.DescribeTopicPartitionsHandler;
import io.sluice.kafka.handler.FetchHandler;
import io.sluice.kafka.handler.IncrementalAlterConfigsHandler;
import io.sluice.kafka.handler.ListOffsetsHandler;
import io.sluice.kafka.handler.MetadataHandler;
import io.sluice.kafka.handler.OffsetForLeaderEpochHandler;
import io.sluice.kafka.handler.ProduceHandler;
import io.sluice.kafka.handler.ReadMissedTopics;
import io.sluice.kafka.handler.TopicPolicy;
import io.sluice.kafka.sasl.SaslAuthenticateHandler;
import io.sluice.kafka.sasl.SaslHandshakeHandler;
import io.sluice.kafka.share.ShareAcknowledgeHandler;
import io.sluice.kafka.share.ShareFetchHandler;
import io.sluice.kafka.share.ShareGroups;
import io.sluice.kafka.share.ShareState;
import io.sluice.kafka.transaction.InitProducerIdHandler;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.protocol.ApiKeys;
import org.jspecify.annotations.Nullable;

/**
 * The Kafka protocol on its listeners. {@link #start} once, {@link #close} once.
 *
 * <pre>
 *   KafkaGateway gateway = new KafkaGateway(config, services, coordinatorHandlers, registry);
 *   int port = gateway.start();
 * </pre>
 */
public final class KafkaGateway implements AutoCloseable {
    private static final int BACKLOG = 1024;

    /** Answers waiting in a socket's queue: over the high mark the socket is not read, under the low mark it is again. */
    private static final WriteBufferWaterMark UNREAD_ANSWERS = new WriteBufferWaterMark(256 << 10, 1 << 20);

    /** Receive buffers, in bytes: small for the many that are idle, large where data pours in. */
    private static final AdaptiveRecvByteBufAllocator RECEIVE = new AdaptiveRecvByteBufAllocator(256, 1024, 256 << 10);

    private static final long SWEEP_MILLIS = 700;
    private static final long CLOSE_MILLIS = 1500;

    private final KafkaGatewayConfig config;
    private final RequestMemory memory;
    private final Cluster cluster;
    private final FetchSessions sessions;
    private final @Nullable ShareGroups shares;
    private final ApiTable apis;
    private final ProtocolShare share;
    private final GatewayMeters meters;
    private final LoopConnections loops;
    private final EventLoopGroup threads;
    private final ClientConnections connections;
    private final RightsWatch rights;
    private final ClientRates rates;
    private final List<Bound> bound = new CopyOnWriteArrayList<>();

    /** @param coordinator the handlers of the group APIs, and whatever else is to be spoken; in place of the gateway's own */
    public KafkaGateway(
            KafkaGatewayConfig config,
            KafkaServices services,
            List<? extends Api> coordinator,
            MeterRegistry registry) {
        this(config, services, coordinator, new RequestMemory(config.limits().requestMemory()), registry);
    }

    /** With share groups. */
    public KafkaGateway(
            KafkaGatewayConfig config,
            KafkaServices services,
            List<? extends Api> coordinator,
            ShareState shareState,
            MeterRegistry registry) {
        this(
                config,
                services,
                coordinator,
                shareState,
                new RequestMemory(config.limits().requestMemory()),
                registry);
    }

    /** @param memory of the requests of all gateways of this process; {@link ConnectionLimits#requestMemory} is not asked */
    public KafkaGateway(
            KafkaGatewayConfig config,
            KafkaServices services,
            List<? extends Api> coordinator,
            RequestMemory memory,
            MeterRegistry registry) {
        this(config, services, coordinator, null, memory, registry);
    }

    /**
     * With share groups.
     *
     * @param shareState null for none
     */
    public KafkaGateway(
            KafkaGatewayConfig config,
            KafkaServices services,
            List<? extends Api> coordinator,
            @Nullable ShareState shareState,
            RequestMemory memory,
            MeterRegistry registry) {
        this.config = config;
        this.memory = memory;
        this.cluster = services.cluster();
        this.rates = services.rates();
        this.connections = new ClientConnections(cluster);
        this.rights = new RightsWatch(connections, services.access()::version);
        List<Api> all = new ArrayList<>(coordinator);
        Set<ApiKeys> given = coordinator.stream().map(Api::key).collect(Collectors.toSet());
        FetchWaits waits = new FetchWaits(config.sessions().waitingBytes());
        this.sessions = sessions(config, services, waits);
        EntryConversions conversions = conversions(services, registry);
        handlers(config, services, memory, registry, sessions, waits, conversions).stream()
                .filter(api -> !given.contains(api.key()))
                .forEach(all::add);
        this.shares = shareState == null ? null : shareState.groups(conversions);
        if (shares != null) {
            all.add(new ShareFetchHandler(services, shares, config.topics().fetchMaxBytes()));
            all.add(new ShareAcknowledgeHandler(services, shares));
            bind(registry, shares);
        }
        if (config.asksClients()) {
            all.add(new SaslHandshakeHandler());
            all.add(new SaslAuthenticateHandler(services));
        }
        this.apis = new ApiTable(all);
        this.share = memory.share();
        this.meters = new GatewayMeters(registry);
        int loopCount = config.ioThreads() > 0
                ? config.ioThreads()
                : Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
        this.loops = new LoopConnections(SWEEP_MILLIS, config.limits().requestMemory() / loopCount);
        this.threads = new MultiThreadIoEventLoopGroup(
                loopCount,
                new DefaultThreadFactory("kafka-io", true),
                Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
    }

    private static void bind(MeterRegistry registry, FetchWaits waits) {
        Gauge.builder("sluice.kafka.fetch.waiting", waits, FetchWaits::used)
                .baseUnit(BaseUnits.BYTES)
                .description("heap of fetches that wait for records, and of what sessions watch, about")
                .register(registry);
        Gauge.builder("sluice.kafka.fetch.waiting.limit", waits, FetchWaits::limit)
                .baseUnit(BaseUnits.BYTES)
                .description("what that may be; fetches beyond it hear of records up to half a second late")
                .register(registry);
    }

    private static void bind(MeterRegistry registry, ShareGroups shares) {
        Gauge.builder("sluice.kafka.share.sessions", shares, ShareGroups::sessionCount)
                .description("members of share groups that fetch here")
                .register(registry);
        Gauge.builder("sluice.kafka.share.partitions", shares, ShareGroups::partitionCount)
                .description("partitions that share groups read here, each as often as there are groups")
                .register(registry);
    }

    private static EntryConversions conversions(KafkaServices services, MeterRegistry registry) {
        EntryConversions conversions =
                EntryConversions.inHeap(Integer.MAX_VALUE, services.prefixes(), services.blocking());
        Gauge.builder("sluice.kafka.fetch.converted", conversions, EntryConversions::keptBytes)
                .baseUnit(BaseUnits.BYTES)
                .description("heap of messages of Pulsar clients that are kept as Kafka's for the next reader")
                .register(registry);
        return conversions;
    }

    private static FetchSessions sessions(KafkaGatewayConfig config, KafkaServices services, FetchWaits waits) {
        return new FetchSessions(
                config.sessions().maxSessions(),
                config.sessions().maxPartitions(),
                services.clock(),
                new SecureRandom()::nextInt,
                waits,
                services.access()::version);
    }

    private List<Api> handlers(
            KafkaGatewayConfig config,
            KafkaServices services,
            RequestMemory memory,
            MeterRegistry registry,
            FetchSessions sessions,
            FetchWaits waits,
            EntryConversions conversions) {
        TopicPolicy policy = config.topics();
        bind(registry, waits);
        FunctionCounter.builder("sluice.kafka.fetch.examined", sessions, FetchSessions::examined)
                .description("partitions that fetches have looked at, each as often as it was")
                .register(registry);
        return List.of(
                new ApiVersionsHandler(() -> apis, services.cluster()),
                new ProduceHandler(services, policy, memory.limit()),
                new FetchHandler(services, policy, sessions, waits, conversions),
                new ListOffsetsHandler(services),
                new ReadMissedTopics(new MetadataHandler(services, policy), services, Operation.DESCRIBE),
                new OffsetForLeaderEpochHandler(services),
                new DeleteRecordsHandler(services),
                new InitProducerIdHandler(services),
                new CreateTopicsHandler(services, policy),
                new ReadMissedTopics(new DeleteTopicsHandler(services), services, Operation.DELETE),
                new ReadMissedTopics(new CreatePartitionsHandler(services), services, Operation.ALTER),
                new DescribeClusterHandler(services),
                new ReadMissedTopics(
                        new DescribeConfigsHandler(services, policy), services, Operation.DESCRIBE_CONFIGS),
                new ReadMissedTopics(new AlterConfigsHandler(services), services, Operation.ALTER_CONFIGS),
                new ReadMissedTopics(new IncrementalAlterConfigsHandler(services), services, Operation.ALTER_CONFIGS),
                new ReadMissedTopics(new DescribeTopicPartitionsHandler(services), services, Operation.DESCRIBE),
                new DescribeLogDirsHandler(services),
                new DescribeProducersHandler(services));
    }

    /**
     * Binds and serves on all listeners.
     *
     * @return the port of the first one
     * @throws GatewayStartException the address cannot be bound; the gateway is closed then
     */
    public int start() throws GatewayStartException {
        bind(config.listener(), ClusterNode.KAFKA);
        for (KafkaGatewayConfig.Listener other : config.others()) {
            bind(other, ClusterNode.KAFKA + ":" + other.name());
        }
        // No connection is accepted before all ports are advertised, which they can be once they are bound.
        for (Bound each : bound) {
            cluster.advertise(each.endpoint(), each.advertised());
        }
        bound.forEach(each -> each.channel().config().setAutoRead(true));
        threads.next()
                .scheduleWithFixedDelay(
                        memory::look, RequestMemory.LOOK_MILLIS, RequestMemory.LOOK_MILLIS, TimeUnit.MILLISECONDS);
        connections.start(threads);
        rights.start(threads);
        threads.next().scheduleWithFixedDelay(sessions::sweep, SWEEP_MILLIS, SWEEP_MILLIS, TimeUnit.MILLISECONDS);
        if (shares != null) {
            threads.next().scheduleWithFixedDelay(shares::sweep, SWEEP_MILLIS, SWEEP_MILLIS, TimeUnit.MILLISECONDS);
        }
        return bound.getFirst().port();
    }

    private void bind(KafkaGatewayConfig.Listener listener, String endpoint) throws GatewayStartException {
        ConnectionSetup setup = new ConnectionSetup(
                apis,
                new ListenerName(listener.name()),
                endpoint,
                listener.security(),
                config.limits(),
                share,
                meters,
                rates,
                System::nanoTime);
        Class<? extends ServerChannel> type =
                Epoll.isAvailable() ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
        ChannelFuture binding = new ServerBootstrap()
                .group(threads)
                .channel(type)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .option(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childOption(ChannelOption.RECVBUF_ALLOCATOR, RECEIVE)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, UNREAD_ANSWERS)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        if (!connections.admit(channel)) {
                            return;
                        }
                        ServerTls tls = setup.security().tls();
                        if (tls != null) {
                            channel.pipeline().addLast(tls.context().newHandler(channel.alloc()));
                        }
                        channel.pipeline().addLast(new KafkaConnection(setup, loops, channel));
                    }
                })
                .bind(new InetSocketAddress(listener.bindHost(), listener.port()))
                .awaitUninterruptibly();
        Throwable failure = binding.cause();
        if (failure != null) {
            close();
            throw new GatewayStartException("cannot listen for Kafka clients on " + listener.bindHost() + ":"
                    + listener.port() + ": " + failure.getMessage()
                    + "; stop what uses the address, or choose another one");
        }
        bound.add(new Bound(listener, endpoint, binding.channel()));
    }

    /** @param endpoint name under which it is advertised */
    private record Bound(KafkaGatewayConfig.Listener listener, String endpoint, Channel channel) {
        int port() {
            return ((InetSocketAddress) channel.localAddress()).getPort();
        }

        Endpoint advertised() {
            return new Endpoint(
                    listener.advertisedHost(), listener.advertisedPort() == 0 ? port() : listener.advertisedPort());
        }
    }

    /** Port of a listener beside the first one. */
    public int port(String name) {
        return bound.stream()
                .filter(each -> each.listener().name().equals(name))
                .findFirst()
                .orElseThrow()
                .port();
    }

    /** Bytes that requests under way hold, and parts of requests; those of other gateways on the same memory, too. */
    public long requestMemoryUsed() {
        return memory.used();
    }

    /** Stops listening, closes every connection; within two seconds. Requests under way may still take effect. */
    @Override
    public void close() {
        bound.forEach(each -> each.channel().close());
        bound.forEach(each -> each.channel().closeFuture().awaitUninterruptibly(CLOSE_MILLIS / 2));
        connections.close(CLOSE_MILLIS / 2);
        threads.shutdownGracefully(0, CLOSE_MILLIS, TimeUnit.MILLISECONDS).awaitUninterruptibly(CLOSE_MILLIS);
    }
}
