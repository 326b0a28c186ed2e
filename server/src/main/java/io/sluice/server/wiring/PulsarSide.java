package io.sluice.server.wiring;

import io.micrometer.core.instrument.MeterRegistry;
import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.compaction.ViewCompactionQueue;
import io.sluice.broker.group.TopicGroups;
import io.sluice.broker.memory.RequestMemory;
import io.sluice.broker.topic.WriteGate;
import io.sluice.kafka.format.KeyedBatches;
import io.sluice.pulsar.Backend;
import io.sluice.pulsar.PulsarGateway;
import io.sluice.pulsar.PulsarGatewayException;
import io.sluice.pulsar.admin.OtherNodes;
import io.sluice.pulsar.admin.PulsarAdminApi;
import io.sluice.pulsar.admin.ServerStores;
import io.sluice.pulsar.config.PulsarGatewayConfig;
import io.sluice.pulsar.dispatch.CompactedReads;
import io.sluice.pulsar.format.KeyedMessages;
import io.sluice.pulsar.registry.SchemaServices;
import io.sluice.pulsar.websocket.OtherGateways;
import io.sluice.pulsar.websocket.WebSocketApi;
import io.sluice.server.config.ServerConfig;
import io.sluice.server.config.Ways;
import io.sluice.store.cluster.IdAllocator;
import io.sluice.store.cluster.Metadata;
import io.sluice.store.container.VirtualThreads;
import io.sluice.store.tls.TrustedAuthorities;
import io.sluice.store.wal.bookkeeper.RegisteredBookie;
import io.sluice.transactions.TransactionAuthority;
import io.vertx.ext.web.Router;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import org.apache.pulsar.common.policies.data.PersistencePolicies;
import org.jspecify.annotations.Nullable;

/** The Pulsar side, wired on the storage: the listener, and the routes of its admin interface. */
final class PulsarSide implements AutoCloseable {
    private final PulsarGateway gateway;
    private final PulsarAdminApi admin;
    private final WebSocketApi webSockets;
    private final ViewCompactionQueue views;
    private final Rounds compaction;

    private PulsarSide(
            PulsarGateway gateway,
            PulsarAdminApi admin,
            WebSocketApi webSockets,
            ViewCompactionQueue views,
            Rounds compaction) {
        this.gateway = gateway;
        this.admin = admin;
        this.webSockets = webSockets;
        this.views = views;
        this.compaction = compaction;
    }

    static PulsarSide start(
            ServerConfig config,
            Storage storage,
            SecuritySide security,
            QuotaSide quotas,
            TransactionAuthority authority,
            TopicGroups groups,
            SchemaServices schemas,
            WriteGate writes,
            RequestMemory memory,
            long webSocketBytes,
            MeterRegistry metrics)
            throws StartException {
        ServerConfig.Pulsar pulsar = config.pulsar();
        var tasks = new VirtualThreads();
        SSLContext trust = trust(config.http());
        OtherNodes nodes = new OtherNodes(trust);
        var views = new ViewCompactionQueue(
                storage.compaction(), CompactedReads.SUBSCRIPTION, List.of(KeyedMessages.FORMAT, KeyedBatches.FORMAT));
        var gateway = new PulsarGateway(
                settings(
                        config,
                        storage,
                        security,
                        Listeners.httpScheme(config) + "://"
                                + storage.cluster().self().endpoint(ClusterNode.HTTP)),
                new Backend(
                        storage.broker().catalogue(),
                        storage.broker().partitions(),
                        storage.metadata(),
                        tasks,
                        security.authorizer(),
                        storage.cluster(),
                        storage.broker().scalableTopics(),
                        BalanceRounds.targets(config.scaling()),
                        views,
                        authority.singles(),
                        groups,
                        quotas.rates(),
                        schemas),
                memory,
                metrics);
        gateway.answerOthers(storage.partitionSteps());
        gateway.answerOthers(storage.peers().handlers());
        try {
            int port = gateway.start();
            writes.decideBy(gateway.services().migration()::whyNotWritten);
            storage.retainBy(gateway.services().retention()::of);
            var admin = new PulsarAdminApi(
                    gateway.services(),
                    tasks,
                    new InetSocketAddress(pulsar.host(), port),
                    () -> storage.health().ask().join(),
                    nodes,
                    stores(storage));
            Duration pause = Duration.ofMillis(config.topics().compactionCheckMillis());
            Rounds compaction = Rounds.start(
                    "compaction thresholds",
                    Thread.ofVirtual(),
                    pause,
                    pause,
                    () -> views.round(gateway.services().thresholds()::of));
            var webSockets = new WebSocketApi(
                    gateway,
                    new OtherGateways(storage.peers().peers(), trust),
                    config.http().maxWebSockets(),
                    webSocketBytes);
            return new PulsarSide(gateway, admin, webSockets, views, compaction);
        } catch (PulsarGatewayException e) {
            throw new StartException(PortInUse.line("pulsar", pulsar.host(), pulsar.port(), e));
        }
    }

    /** Whom this node trusts to be another one; null for the JDK's authorities. */
    private static @Nullable SSLContext trust(ServerConfig.Http http) throws StartException {
        try {
            return http.authorities().isEmpty() ? null : TrustedAuthorities.in(Path.of(http.authorities()));
        } catch (IOException e) {
            throw new StartException("http.authorities: " + e.getMessage());
        }
    }

    /**
     * Prefix of the producer names that this process makes: never given to another process of the cluster, nor to another start.
     *
     * @throws StartException the metadata store does not answer
     */
    static String newInstance(String cluster, Metadata metadata) throws StartException {
        try {
            return cluster + '-' + new IdAllocator(metadata, "producer-names", 1).next();
        } catch (IOException e) {
            throw new StartException("the metadata store does not answer: " + e.getMessage());
        }
    }

    private static ServerStores stores(Storage storage) {
        Foundation.Copies copies = storage.copies();
        return new ServerStores(
                storage.metadataUrl(),
                new PersistencePolicies(copies.ensemble(), copies.writeQuorum(), copies.ackQuorum(), 0),
                () -> RegisteredBookie.read(storage.metadata()).stream()
                        .map(RegisteredBookie::id)
                        .toList(),
                storage::retentionOf);
    }

    private static PulsarGatewayConfig settings(
            ServerConfig config, Storage storage, SecuritySide security, String httpUrl) throws StartException {
        ServerConfig.Pulsar pulsar = config.pulsar();
        PulsarGatewayConfig.Limits base = PulsarGatewayConfig.Limits.DEFAULTS;
        String cluster = config.cluster().nameOr(storage.clusterName());
        return new PulsarGatewayConfig(
                pulsar.host(),
                pulsar.port(),
                pulsar.advertisedHost().isEmpty() ? null : pulsar.advertisedHost(),
                pulsar.advertisedPort(),
                Map.of(),
                httpUrl,
                cluster,
                newInstance(cluster, storage.metadata()),
                new PulsarGatewayConfig.TopicCreation(config.topics().autoCreate(), 0),
                pulsar.deduplication(),
                pulsar.compactionThresholdBytes(),
                new PulsarGatewayConfig.Limits(
                        pulsar.maxMessageBytes(),
                        Math.max(pulsar.maxMessageBytes(), base.publishBytes()),
                        base.pendingSends(),
                        base.outboundBytes(),
                        base.unackedMessages(),
                        base.unackedOfSubscription(),
                        base.lookAhead(),
                        pulsar.maxConnections(),
                        base.handshake(),
                        base.keepAlive(),
                        base.streamGrace(),
                        Duration.ofSeconds(pulsar.backlogQuotaCheckSeconds()),
                        Duration.ofSeconds(pulsar.inactiveTopicCheckSeconds())),
                security.of("pulsar", pulsar.tls(), Ways.of("pulsar.", pulsar.authentication())));
    }

    void mountAdmin(Router router) {
        admin.mount(router);
        webSockets.mount(router);
    }

    @Override
    public void close() throws InterruptedException {
        compaction.close();
        views.close();
        gateway.close();
    }
}
