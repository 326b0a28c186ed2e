package io.sluice.server.wiring;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.sluice.broker.group.GroupConfigs;
import io.sluice.broker.group.TopicGroups;
import io.sluice.broker.memory.RequestMemory;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.WriteGate;
import io.sluice.conversion.PrefixSource;
import io.sluice.kafka.GatewayStartException;
import io.sluice.kafka.KafkaCoordinators;
import io.sluice.kafka.KafkaGateway;
import io.sluice.kafka.KafkaGatewayConfig;
import io.sluice.kafka.KafkaGatewayConfig.Listener;
import io.sluice.kafka.acl.AclHandlers;
import io.sluice.kafka.api.Api;
import io.sluice.kafka.api.KafkaAccess;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.connection.ConnectionLimits;
import io.sluice.kafka.coordinator.GroupCoordinators;
import io.sluice.kafka.coordinator.GroupSettings;
import io.sluice.kafka.handler.TopicPolicy;
import io.sluice.kafka.quota.QuotaHandlers;
import io.sluice.kafka.sasl.AlterUserScramCredentialsHandler;
import io.sluice.kafka.sasl.DelegationTokenHandlers;
import io.sluice.kafka.sasl.DescribeUserScramCredentialsHandler;
import io.sluice.server.config.MemoryBudget;
import io.sluice.server.config.NamedListener;
import io.sluice.server.config.ServerConfig;
import io.sluice.server.config.Ways;
import io.sluice.server.containers.ServingListener;
import io.sluice.server.metrics.TransactionMetrics;
import io.sluice.store.cluster.IdAllocator;
import io.sluice.transactions.TransactionAuthority;
import io.sluice.transactions.TransactionSettings;
import io.sluice.transactions.peer.PeerTransactions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import org.apache.kafka.common.utils.Time;

/** The Kafka side, wired on the storage: group coordinators and the listener. */
final class KafkaSide implements AutoCloseable {
    private static final int FETCH_MAX_BYTES = 16 << 20;
    private static final int FETCH_SESSIONS = 1_000;
    private static final int IN_FLIGHT_REQUESTS = 64;
    /** The server's own topics are made, in a new store, within this time. */
    private static final Duration TOPICS = Duration.ofMinutes(2);

    private static final Duration STALL = Duration.ofSeconds(60);
    private static final Duration UNREAD = Duration.ofMinutes(5);

    private final Closing closing = new Closing();
    private final KafkaCoordinators coordinators;
    private final TransactionAuthority authority;
    private final TopicGroups positions;

    private KafkaSide(
            ServerConfig config,
            Storage storage,
            SecuritySide security,
            QuotaSide quotas,
            PrefixSource prefixes,
            WriteGate writes,
            MemoryBudget budget,
            RequestMemory memory,
            PrometheusMeterRegistry metrics)
            throws StartException {
        ServerConfig.Kafka kafka = config.kafka();
        try {
            PeerTransactions remote = closing.add(
                    new PeerTransactions(storage.cluster(), storage.peers().peers()));
            authority = StartTopics.retried(
                    TOPICS,
                    () -> TransactionAuthority.open(
                            TransactionSettings.within(budget.transactionBytes()), environment(storage, remote)));
            PeerTransactions.answer(storage.peers().handlers(), authority.local(), storage.containers());
            coordinators = closing.add(StartTopics.retried(
                    TOPICS,
                    () -> KafkaCoordinators.start(
                            authority,
                            GroupSettings.DEFAULT,
                            services(storage, security, quotas, prefixes).with(writes),
                            Time.SYSTEM)));
            storage.containers().onServing(new ServingListener() {
                @Override
                public void serving(int container) {
                    coordinators.containerServing(container);
                }

                @Override
                public void stopped(int container) {
                    coordinators.containerStopped(container);
                }
            });
            coordinators.answerOthers(storage.partitionSteps());
            positions = coordinators.positions(storage.partitionSteps());
            GroupConfigs groupConfigs =
                    closing.add(new GroupConfigs(storage.metadata(), Executors.newVirtualThreadPerTaskExecutor()));
            groupConfigs.load();
            KafkaGateway gateway = closing.add(new KafkaGateway(
                    settings(config, security, budget, memory),
                    coordinators.services().with(coordinators.groups().configurations(groupConfigs)),
                    handlers(security, quotas),
                    coordinators.groups().shares(),
                    memory,
                    metrics));
            gateway.start();
            TransactionMetrics.register(metrics, authority);
        } catch (GatewayStartException e) {
            closing.close();
            throw new StartException(PortInUse.line("kafka", kafka.host(), kafka.port(), e));
        } catch (StartException e) {
            closing.close();
            throw e;
        } catch (IOException e) {
            closing.close();
            throw new StartException("settings of groups: " + e.getMessage());
        } catch (TopicException e) {
            closing.close();
            throw new StartException("cannot create a topic of group offsets or transactions: " + e.getMessage());
        } catch (InterruptedException e) {
            closing.close();
            Thread.currentThread().interrupt();
            throw new StartException("interrupted while starting");
        }
    }

    private static KafkaServices services(
            Storage storage, SecuritySide security, QuotaSide quotas, PrefixSource prefixes) {
        return new KafkaServices(
                        storage.broker().catalogue(),
                        storage.broker().partitions(),
                        () -> next(storage.producerIds()),
                        Executors.newVirtualThreadPerTaskExecutor(),
                        System::currentTimeMillis,
                        storage.cluster(),
                        storage.ackQuorum(),
                        new KafkaAccess(storage.broker().catalogue(), security.authorizer()))
                .with(quotas.rates())
                .with(prefixes);
    }

    private static TransactionAuthority.Environment environment(Storage storage, PeerTransactions remote) {
        return new TransactionAuthority.Environment(
                storage.broker().catalogue(),
                storage.broker().partitions(),
                () -> next(storage.producerIds()),
                Executors.newVirtualThreadPerTaskExecutor(),
                System::currentTimeMillis,
                remote);
    }

    /**
     * Starts it.
     *
     * @param prefixes of the topics' schemas
     * @param writes keeps producers out of topics that have migrated, once the Pulsar side has started
     * @param memory of the requests of both protocols
     */
    static KafkaSide start(
            ServerConfig config,
            Storage storage,
            SecuritySide security,
            QuotaSide quotas,
            PrefixSource prefixes,
            WriteGate writes,
            MemoryBudget budget,
            RequestMemory memory,
            PrometheusMeterRegistry metrics)
            throws StartException {
        return new KafkaSide(config, storage, security, quotas, prefixes, writes, budget, memory, metrics);
    }

    private List<Api> handlers(SecuritySide security, QuotaSide quotas) {
        List<Api> all = new ArrayList<>(coordinators.handlers());
        all.add(new AlterUserScramCredentialsHandler(coordinators.services(), security.users()));
        all.add(new DescribeUserScramCredentialsHandler(coordinators.services(), security.users()));
        all.addAll(DelegationTokenHandlers.of(coordinators.services(), security.delegationTokens()));
        all.addAll(AclHandlers.of(coordinators.services(), security.rules()));
        all.addAll(QuotaHandlers.of(coordinators.services(), quotas.quotas()));
        return all;
    }

    private static Listener listener(ServerConfig.Kafka kafka, SecuritySide security) throws StartException {
        return new Listener(
                "PLAINTEXT",
                kafka.host(),
                kafka.port(),
                kafka.advertisedHost().isEmpty() ? kafka.host() : kafka.advertisedHost(),
                kafka.advertisedPort(),
                security.of("kafka", kafka.tls(), Ways.of("kafka.", kafka.authentication())));
    }

    private static List<Listener> others(ServerConfig.Kafka kafka, SecuritySide security) throws StartException {
        List<Listener> others = new ArrayList<>();
        for (var each : kafka.listeners().entrySet()) {
            NamedListener given = each.getValue();
            others.add(new Listener(
                    each.getKey(),
                    given.host(),
                    given.port(),
                    given.told(),
                    given.advertisedPort(),
                    security.of("kafka.listeners." + each.getKey(), given.tls(), given.ways())));
        }
        return others;
    }

    private static KafkaGatewayConfig settings(
            ServerConfig config, SecuritySide security, MemoryBudget budget, RequestMemory memory)
            throws StartException {
        ServerConfig.Kafka kafka = config.kafka();
        return new KafkaGatewayConfig(
                listener(kafka, security),
                others(kafka, security),
                0,
                new ConnectionLimits(
                        kafka.maxConnections(),
                        kafka.maxRequestBytes(),
                        IN_FLIGHT_REQUESTS,
                        memory.limit() / 2,
                        Duration.ofMillis(kafka.idleTimeoutMillis()),
                        STALL,
                        UNREAD),
                new TopicPolicy(
                        config.topics().autoCreate(),
                        config.topics().defaultPartitions(),
                        kafka.maxBatchBytes(),
                        kafka.checkCompressedBatches(),
                        FETCH_MAX_BYTES,
                        new TopicPolicy.Retention(
                                config.topics().retentionMillis(),
                                config.topics().retentionBytes(),
                                config.topics().retentionCheckMillis()),
                        config.topics().elastic(),
                        config.topics().durability()),
                new KafkaGatewayConfig.Sessions(
                        FETCH_SESSIONS,
                        budget.fetchSessionBytes() / KafkaGatewayConfig.Sessions.PARTITION_BYTES,
                        budget.waitingFetchBytes()));
    }

    private static long next(IdAllocator ids) {
        try {
            return ids.next();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    TopicGroups positions() {
        return positions;
    }

    TransactionAuthority authority() {
        return authority;
    }

    GroupCoordinators groups() {
        return coordinators.groups();
    }

    @Override
    public void close() {
        closing.close();
    }
}
