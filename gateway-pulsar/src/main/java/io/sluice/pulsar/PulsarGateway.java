package io.sluice.pulsar;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.sluice.broker.cluster.ClientConnections;
import io.sluice.broker.cluster.Cluster;
import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.cluster.Endpoint;
import io.sluice.broker.identity.KnownClient;
import io.sluice.broker.identity.ServerTls;
import io.sluice.broker.memory.ProtocolShare;
import io.sluice.broker.memory.RequestMemory;
import io.sluice.broker.peer.PeerHandlers;
import io.sluice.broker.peer.PeerKinds;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.broker.topic.TopicName;
import io.sluice.broker.topic.step.PartitionSteps;
import io.sluice.conversion.EntryConversions;
import io.sluice.conversion.PrefixSource;
import io.sluice.pulsar.config.PulsarGatewayConfig;
import io.sluice.pulsar.connection.Connection;
import io.sluice.pulsar.connection.InProcessChannel;
import io.sluice.pulsar.connection.RightsWatch;
import io.sluice.pulsar.dispatch.DelayLimits;
import io.sluice.pulsar.dispatch.DelayMemory;
import io.sluice.pulsar.dispatch.DispatchServices;
import io.sluice.pulsar.dispatch.EntryReader;
import io.sluice.pulsar.handler.Commander;
import io.sluice.pulsar.hub.ChangeSubscription;
import io.sluice.pulsar.hub.DeleteUnused;
import io.sluice.pulsar.hub.FollowDeduplication;
import io.sluice.pulsar.hub.Hubs;
import io.sluice.pulsar.hub.IsInUse;
import io.sluice.pulsar.hub.LookAtUse;
import io.sluice.pulsar.metrics.PulsarMeters;
import io.sluice.pulsar.namespace.BacklogQuotas;
import io.sluice.pulsar.namespace.ClusterMigration;
import io.sluice.pulsar.namespace.Clusters;
import io.sluice.pulsar.namespace.CompactionThresholds;
import io.sluice.pulsar.namespace.Deduplication;
import io.sluice.pulsar.namespace.DelayedDelivery;
import io.sluice.pulsar.namespace.MessageTtl;
import io.sluice.pulsar.namespace.NamespacePolicies;
import io.sluice.pulsar.namespace.NamespaceRetention;
import io.sluice.pulsar.namespace.Namespaces;
import io.sluice.pulsar.namespace.NonPersistentSettings;
import io.sluice.pulsar.namespace.RatePolicies;
import io.sluice.pulsar.namespace.ReplicationPolicies;
import io.sluice.pulsar.namespace.ResourceGroups;
import io.sluice.pulsar.namespace.TenantAdmins;
import io.sluice.pulsar.nonpersistent.NonPersistentPartitions;
import io.sluice.pulsar.nonpersistent.NonPersistentTopics;
import io.sluice.pulsar.replication.Replicators;
import io.sluice.pulsar.replication.client.PulsarCluster;
import io.sluice.pulsar.scalable.Controllers;
import io.sluice.pulsar.scalable.CoordinatorWatches;
import io.sluice.pulsar.scalable.LayoutWatches;
import io.sluice.pulsar.scalable.SegmentLooks;
import io.sluice.pulsar.scalable.StreamConsumers;
import io.sluice.pulsar.scalable.TopicListWatches;
import io.sluice.pulsar.schema.TopicSchemas;
import io.sluice.pulsar.services.BacklogQuotaChecks;
import io.sluice.pulsar.services.ClientLimits;
import io.sluice.pulsar.services.ClusterMigrationWatch;
import io.sluice.pulsar.services.GatewayServices;
import io.sluice.pulsar.services.GivenNames;
import io.sluice.pulsar.services.InactiveTopics;
import io.sluice.pulsar.services.IntroducedClients;
import io.sluice.pulsar.services.MessageExpiry;
import io.sluice.pulsar.services.PolicyRules;
import io.sluice.pulsar.services.ProducerNames;
import io.sluice.pulsar.services.RateWatch;
import io.sluice.pulsar.services.SchemaPolicies;
import io.sluice.pulsar.services.SubscriptionExpiry;
import io.sluice.pulsar.topic.ServiceUrls;
import io.sluice.pulsar.topic.TopicAccess;
import io.sluice.pulsar.wire.FrameDecoder;
import io.sluice.pulsar.wire.Replies;
import io.sluice.transactions.TransactionAuthority;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The server side of Pulsar's binary protocol.
 *
 * <pre>
 *   client ─► epoll loop: FrameDecoder ─► Connection ─► handler ─► container's loop: PartitionHub, Subscription
 *                 ▲                                                        │
 *                 └────────────── Outbox (one wake-up, one flush) ◄────────┘
 * </pre>
 */
public final class PulsarGateway implements AutoCloseable {
    private static final int MAX_RECEIVE_BUFFER = 256 * 1024;
    private static final int BACKLOG = 1024;
    /** Bound on unsent bytes in the socket's buffer: they delay the receipts behind them, and grow to megabytes where readers are slow. */
    private static final long UNSENT_BYTES = 128 << 10;

    private static final long CLOSE_MILLIS = 500;

    /** Version that stats show of a client over WebSocket. */
    public static final String WEB_SOCKET = Connection.WEB_SOCKET;

    private static final int LOOPS = Math.clamp(Runtime.getRuntime().availableProcessors(), 1, 16);

    private final PulsarGatewayConfig config;
    private final RequestMemory memory;
    private final GatewayServices services;
    private final RateWatch rateWatch;
    private final ClusterMigrationWatch migrationWatch;
    private final Cluster cluster;
    private final ClientConnections connections;
    private final RightsWatch rightsWatch;
    /** Sends clients of non-persistent topics away that another node has by now. */
    private final Runnable leaving = this::leave;

    private @Nullable EventLoopGroup loops;
    private @Nullable Channel listening;

    public PulsarGateway(PulsarGatewayConfig config, Backend backend, MeterRegistry registry) {
        this(config, backend, RequestMemory.withShares(config.limits().publishBytes()), registry);
    }

    private static EntryConversions conversions(
            PulsarGatewayConfig config, PrefixSource prefixes, MeterRegistry registry) {
        EntryConversions conversions =
                EntryConversions.inHeap(config.limits().maxMessageBytes(), prefixes, Thread::startVirtualThread);
        Gauge.builder("sluice.pulsar.dispatch.converted", conversions, EntryConversions::keptBytes)
                .baseUnit(BaseUnits.BYTES)
                .description("heap of records of Kafka clients that are kept as Pulsar's for the next consumer")
                .register(registry);
        return conversions;
    }

    /** @param memory of the requests of all gateways of this process; {@link PulsarGatewayConfig.Limits#publishBytes} is not asked */
    public PulsarGateway(PulsarGatewayConfig config, Backend backend, RequestMemory memory, MeterRegistry registry) {
        this.config = config;
        this.memory = memory;
        this.cluster = backend.cluster();
        this.connections = new ClientConnections(cluster);
        TopicCatalogue catalogue = backend.catalogue();
        NamespacePolicies policies = new NamespacePolicies(
                backend.metadata(), task -> backend.tasks().start("read policies of namespaces", task));
        Clusters clusters = new Clusters(
                config.clusterName(),
                backend.metadata(),
                task -> backend.tasks().start("read clusters", task));
        PulsarMeters meters = new PulsarMeters(registry);
        ProtocolShare budget = memory.share();
        DelayedDelivery delays = new DelayedDelivery(catalogue, policies);
        DelayMemory delayMemory = DelayMemory.ofHeap();
        EntryConversions conversions = conversions(config, backend.schemas().prefixes(), registry);
        NonPersistentSettings settings = new NonPersistentSettings(
                backend.metadata(), task -> backend.tasks().start("read settings of non-persistent topics", task));
        ResourceGroups groups = new ResourceGroups(
                policies, backend.metadata(), task -> backend.tasks().start("read resource groups", task));
        ClusterMigration migration = new ClusterMigration(
                config.clusterName(),
                policies,
                backend.metadata(),
                task -> backend.tasks().start("read where the cluster has migrated to", task));
        RatePolicies rates = new RatePolicies(catalogue, policies, settings, groups);
        Hubs hubs = new Hubs(new DispatchServices(
                PooledByteBufAllocator.DEFAULT,
                config.limits(),
                meters,
                delays::isActive,
                delayMemory,
                DelayLimits.DEFAULTS,
                conversions,
                rates,
                migration::isMigrated));
        Gauge.builder("sluice.pulsar.publish.pending.bytes", budget, ProtocolShare::used)
                .description("bytes of commands that arrive and of publishes that are not answered")
                .register(registry);
        TransactionMeters.register(registry, backend.transactions());
        TopicName coordinators = TopicName.ofDefault(TransactionAuthority.STATE_TOPIC);
        Controllers controllers = new Controllers(catalogue, backend.partitions(), backend.cluster(), coordinators);
        TopicAccess access = new TopicAccess(
                catalogue,
                backend.partitions(),
                new PolicyRules(config.topics(), policies, catalogue),
                backend.authorizer(),
                backend.cluster(),
                coordinators);
        MessageTtl ttl = new MessageTtl(policies);
        NonPersistentTopics nonPersistent = new NonPersistentTopics(
                access,
                meters,
                new NonPersistentPartitions(
                        backend.metadata(),
                        task -> backend.tasks().start("read partitions of non-persistent topics", task)),
                settings,
                policies,
                rates);
        Gauge.builder("sluice.pulsar.nonpersistent.topics", nonPersistent, NonPersistentTopics::size)
                .description("non-persistent topics, each partition one, that this node has")
                .register(registry);
        TopicSchemas schemas = backend.schemas().topics();
        EntryReader reader = new EntryReader(conversions);
        ReplicationPolicies replication = new ReplicationPolicies(clusters, policies, catalogue);
        this.rateWatch = new RateWatch(rates, catalogue, hubs, nonPersistent, backend.tasks());
        this.migrationWatch = new ClusterMigrationWatch(migration, hubs, nonPersistent, backend.tasks());
        this.services = new GatewayServices(
                config,
                backend.tasks(),
                catalogue,
                backend.cluster(),
                access,
                hubs,
                reader,
                schemas,
                new SchemaPolicies(policies, access),
                backend.schemas().registry(),
                new Namespaces(backend.metadata(), catalogue),
                new TenantAdmins(
                        backend.authorizer().rules(),
                        backend.metadata(),
                        task -> backend.tasks().start("read access rules", task)),
                replication,
                groups,
                migration,
                new Replicators(
                        replication,
                        catalogue,
                        backend.partitions(),
                        reader,
                        schemas,
                        ttl,
                        rates,
                        PulsarCluster::new,
                        hubs,
                        backend.tasks()),
                policies,
                new ClientLimits(policies, access, settings),
                new BacklogQuotaChecks(new BacklogQuotas(policies), catalogue, access, hubs),
                new InactiveTopics(policies, catalogue, access, hubs, System::nanoTime),
                new SubscriptionExpiry(policies, catalogue, access, hubs, System::nanoTime),
                new NamespaceRetention(policies),
                new Deduplication(config.deduplication(), policies),
                delays,
                ttl,
                new MessageExpiry(catalogue, access, hubs, ttl),
                backend.views(),
                new CompactionThresholds(config.compactionThreshold(), policies),
                budget,
                backend.rates(),
                new ProducerNames(config.instance()),
                backend.scalable(),
                backend.scaling(),
                new LayoutWatches(backend.scalable(), catalogue, backend.cluster()),
                new TopicListWatches(catalogue),
                new CoordinatorWatches(catalogue, backend.cluster(), coordinators),
                controllers,
                new StreamConsumers(
                        backend.scalable(),
                        new SegmentLooks(catalogue, backend.partitions(), hubs),
                        controllers,
                        config.limits().streamGrace()),
                nonPersistent,
                backend.transactions(),
                backend.groups(),
                new GivenNames(),
                new IntroducedClients(System::nanoTime),
                meters);
        this.rightsWatch = new RightsWatch(connections, services);
    }

    /** Lets other nodes ask for steps that need the clients of this one; before it starts. */
    public void answerOthers(PartitionSteps steps) {
        services.streams().answerOthers(steps, services.hubs());
        DeleteUnused.register(steps, services.hubs());
        ChangeSubscription.register(steps, services.hubs());
        FollowDeduplication.register(steps, services.hubs());
        IsInUse.register(steps, services.hubs());
        LookAtUse.register(steps, services.hubs());
    }

    /** Lets other nodes introduce clients that they have let in. */
    public void answerOthers(PeerHandlers handlers) {
        handlers.add(PeerKinds.INTRODUCE_CLIENT, IntroducedClients.VERSION, services.introduced());
    }

    /** Services for the admin interface. */
    public GatewayServices services() {
        return services;
    }

    /**
     * Reads the policies of namespaces, binds and serves. Blocks.
     *
     * @return the port, chosen by the system if the setting is 0
     * @throws PulsarGatewayException the port cannot be bound, or the policies not read; one line for the user
     */
    public int start() throws PulsarGatewayException {
        StoredRules.load(services);
        boolean epoll = Epoll.isAvailable();
        IoHandlerFactory io = epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(LOOPS, io);
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(group)
                .channel(epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                // No connection is accepted before the port is advertised, which it can be once it is bound.
                .option(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(
                        ChannelOption.RECVBUF_ALLOCATOR,
                        new AdaptiveRecvByteBufAllocator(512, 4096, MAX_RECEIVE_BUFFER))
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, waterMark())
                .childHandler(new Pipeline(services, connections));
        if (epoll) {
            bootstrap.childOption(EpollChannelOption.TCP_NOTSENT_LOWAT, UNSENT_BYTES);
        }
        ChannelFuture bound = bootstrap.bind(config.host(), config.port()).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
            throw new PulsarGatewayException("cannot listen for Pulsar clients on " + config.host() + ":"
                    + config.port() + ": " + reason(bound.cause()) + "; stop what uses the port, or choose another");
        }
        group.next()
                .scheduleWithFixedDelay(
                        memory::look, RequestMemory.LOOK_MILLIS, RequestMemory.LOOK_MILLIS, TimeUnit.MILLISECONDS);
        loops = group;
        connections.start(group);
        rightsWatch.start(group);
        group.next()
                .scheduleWithFixedDelay(
                        this::follow, RateWatch.LOOK_MILLIS, RateWatch.LOOK_MILLIS, TimeUnit.MILLISECONDS);
        group.next()
                .scheduleWithFixedDelay(
                        () -> services.tasks().start("expire messages", services.expiry()::round),
                        MessageExpiry.PAUSE_SECONDS,
                        MessageExpiry.PAUSE_SECONDS,
                        TimeUnit.SECONDS);
        group.next()
                .scheduleWithFixedDelay(
                        () -> services.tasks().start("look at replicators", services.replicators()::round),
                        0,
                        Replicators.LOOK_MILLIS,
                        TimeUnit.MILLISECONDS);
        long quotaMillis = config.limits().quotaChecks().toMillis();
        group.next()
                .scheduleWithFixedDelay(
                        () -> services.tasks().start("check backlog quotas", services.quotaChecks()::round),
                        quotaMillis,
                        quotaMillis,
                        TimeUnit.MILLISECONDS);
        long inactivityMillis = config.limits().inactivityChecks().toMillis();
        group.next()
                .scheduleWithFixedDelay(
                        () -> services.tasks().start("delete inactive topics", services.inactive()::round),
                        inactivityMillis,
                        inactivityMillis,
                        TimeUnit.MILLISECONDS);
        group.next()
                .scheduleWithFixedDelay(
                        () -> services.tasks().start("expire subscriptions", services.subscriptionExpiry()::round),
                        inactivityMillis,
                        inactivityMillis,
                        TimeUnit.MILLISECONDS);
        group.next()
                .scheduleWithFixedDelay(
                        services.nonPersistent()::look,
                        NonPersistentTopics.LOOK_MILLIS,
                        NonPersistentTopics.LOOK_MILLIS,
                        TimeUnit.MILLISECONDS);
        cluster.onChange(leaving);
        listening = bound.channel();
        int port = ((InetSocketAddress) bound.channel().localAddress()).getPort();
        ServiceUrls.named(config).forEach(cluster::advertise);
        cluster.advertise(ClusterNode.PULSAR, advertised(port));
        bound.channel().config().setAutoRead(true);
        return port;
    }

    /**
     * Connects a client of this process that has been let in, as if it had said CONNECT. Any thread.
     *
     * @param then on the channel's event loop: gets the connection, or null if there can be no more of them now
     */
    public void connect(InProcessChannel channel, KnownClient client, Consumer<@Nullable Connection> then) {
        EventLoopGroup group = loops;
        if (group == null) {
            throw new IllegalStateException("the gateway has not started");
        }
        if (client.rules().guard() != null) {
            rightsWatch.watchIdentities();
        }
        channel.config().setAllocator(PooledByteBufAllocator.DEFAULT);
        channel.config().setWriteBufferWaterMark(waterMark());
        channel.pipeline().addLast(new Pipeline(services, connections));
        EventLoop loop = group.next();
        // one task later it is active, or was closed for being one too many
        loop.register(channel)
                .addListener(registered -> loop.execute(() -> {
                    Connection connection = channel.pipeline().get(Connection.class);
                    if (!registered.isSuccess() || connection == null || !channel.isActive()) {
                        channel.close();
                        then.accept(null);
                        return;
                    }
                    connection.login().adopt(client);
                    connection.connected(Replies.newestVersion(), WEB_SOCKET);
                    then.accept(connection);
                }));
    }

    private void follow() {
        rateWatch.look();
        migrationWatch.look();
    }

    private void leave() {
        services.tasks().start("look at non-persistent topics", services.nonPersistent()::look);
    }

    private Endpoint advertised(int bound) {
        String host = config.advertisedHost();
        int port = config.advertisedPort();
        return new Endpoint(host == null ? config.host() : host, port == 0 ? bound : port);
    }

    private WriteBufferWaterMark waterMark() {
        int high = config.limits().outboundBytes();
        return new WriteBufferWaterMark(high / 2, high);
    }

    private static String reason(Throwable cause) {
        String message = cause.getMessage();
        return message == null ? cause.getClass().getSimpleName() : message;
    }

    /** Stops listening, closes every connection, and waits up to two seconds for the loops to end. */
    @Override
    public void close() {
        cluster.offChange(leaving);
        StoredRules.close(services);
        services.replicators().close();
        services.layouts().close();
        services.topicLists().close();
        services.coordinators().close();
        services.streams().close();
        if (listening != null) {
            listening.close().awaitUninterruptibly(CLOSE_MILLIS);
        }
        connections.close(CLOSE_MILLIS);
        if (loops != null) {
            loops.shutdownGracefully(0, 900, TimeUnit.MILLISECONDS).awaitUninterruptibly(1, TimeUnit.SECONDS);
        }
    }

    private static final class Pipeline extends ChannelInitializer<Channel> {
        private static final Commander COMMANDER = new Commander();

        private final GatewayServices services;
        private final ClientConnections connections;

        Pipeline(GatewayServices services, ClientConnections connections) {
            this.services = services;
            this.connections = connections;
        }

        @Override
        protected void initChannel(Channel channel) {
            if (!connections.admit(channel)) {
                return;
            }
            ServerTls tls = services.config().security().tls();
            if (tls != null && !(channel instanceof InProcessChannel)) {
                channel.pipeline().addLast(tls.context().newHandler(channel.alloc()));
            }
            Connection connection = new Connection(channel, services, COMMANDER);
            channel.pipeline().addLast(new FrameDecoder(connection), connection);
        }
    }
}
