package io.sluice.kafka.fuzz;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sluice.broker.TestBroker;
import io.sluice.broker.cluster.SingleNode;
import io.sluice.broker.quota.ClientQuotas;
import io.sluice.kafka.KafkaCoordinators;
import io.sluice.kafka.KafkaGateway;
import io.sluice.kafka.KafkaGatewayConfig;
import io.sluice.kafka.RawClient;
import io.sluice.kafka.api.Api;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.connection.ConnectionLimits;
import io.sluice.kafka.coordinator.GroupSettings;
import io.sluice.kafka.handler.TopicPolicy;
import io.sluice.kafka.quota.QuotaHandlers;
import io.sluice.store.cluster.InMemoryMetadata;
import io.sluice.testing.fuzz.FuzzedServer;
import io.sluice.transactions.TransactionAuthority;
import io.sluice.transactions.TransactionSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.utils.Time;

/** A whole gateway with groups and transactions, over a broker in memory. */
final class FuzzedKafka implements FuzzedServer {
    private static final int SESSIONS = 100;

    private final TestBroker broker = TestBroker.start();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final KafkaCoordinators coordinators;
    private final KafkaGateway gateway;
    private final int port;
    private final Map<ApiKeys, Short[]> versions;
    private final Neighbour neighbour;

    FuzzedKafka() throws Exception {
        AtomicLong producerIds = new AtomicLong(1000);
        KafkaServices services = new KafkaServices(
                broker.catalogue(),
                broker.partitions(),
                producerIds::getAndIncrement,
                task -> Thread.ofVirtual().start(task),
                System::currentTimeMillis,
                new SingleNode("test-cluster-id-000000", 1));
        KafkaGatewayConfig config = config();
        TransactionAuthority authority = TransactionAuthority.open(
                TransactionSettings.DEFAULT,
                new TransactionAuthority.Environment(
                        services.topics(),
                        services.partitions(),
                        services.producerIds(),
                        services.blocking(),
                        services.clock()));
        coordinators = KafkaCoordinators.start(authority, shortTimes(), services, Time.SYSTEM);
        List<Api> handlers = new ArrayList<>(coordinators.handlers());
        handlers.addAll(QuotaHandlers.of(services, new ClientQuotas(new InMemoryMetadata(), services.blocking())));
        gateway = new KafkaGateway(
                config, coordinators.services(), handlers, coordinators.groups().shares(), registry);
        port = gateway.start();
        for (int i = 0; i < Known.TOPICS; i++) {
            broker.createTopic("t" + i, 2);
        }
        broker.createTopic(Neighbour.TOPIC, 1);
        neighbour = new Neighbour(port);
        versions = announced();
    }

    private static KafkaGatewayConfig config() {
        KafkaGatewayConfig local = KafkaGatewayConfig.local(0);
        return new KafkaGatewayConfig(
                local.listener(),
                1,
                ConnectionLimits.defaults(),
                new TopicPolicy(true, 1, 1 << 20, true, 1 << 20, TopicPolicy.Retention.DEFAULT),
                new KafkaGatewayConfig.Sessions(SESSIONS, 10_000, 100_000));
    }

    /** Members that say no more are forgotten soon. */
    private static GroupSettings shortTimes() {
        GroupSettings usual = GroupSettings.DEFAULT;
        return new GroupSettings(
                2,
                Duration.ZERO,
                Duration.ofMillis(10),
                Duration.ofSeconds(1),
                usual.consumerHeartbeat(),
                usual.shareHeartbeat(),
                usual.shareLock(),
                usual.offsetsRetention(),
                usual.retentionCheckInterval(),
                usual.maxGroupSize(),
                usual.writeTimeout());
    }

    private Map<ApiKeys, Short[]> announced() throws Exception {
        short version = 4;
        Map<ApiKeys, Short[]> all = new EnumMap<>(ApiKeys.class);
        try (RawClient client = new RawClient(port)) {
            var request =
                    new ApiVersionsRequestData().setClientSoftwareName("f").setClientSoftwareVersion("1");
            var answer = new ApiVersionsResponseData(client.call(ApiKeys.API_VERSIONS, version, request), version);
            answer.apiKeys().forEach(api -> {
                ApiKeys key = ApiKeys.forId(api.apiKey());
                all.put(
                        key,
                        IntStream.rangeClosed(Math.max(api.minVersion(), key.oldestVersion()), api.maxVersion())
                                .mapToObj(v -> (short) v)
                                .toArray(Short[]::new));
            });
        }
        return all;
    }

    @Override
    public int play(long seed) throws Exception {
        return new KafkaSequence(seed, versions, broker).play(port);
    }

    @Override
    public void neighbour() throws Exception {
        neighbour.roundTrip();
    }

    @Override
    public void neighbourLeaves() throws Exception {
        neighbour.readAll();
        neighbour.close();
    }

    @Override
    public long requestMemoryUsed() {
        return gateway.requestMemoryUsed();
    }

    @Override
    public int openConnections() {
        return (int) registry.get("sluice.kafka.connections").gauge().value();
    }

    @Override
    public void close() {
        gateway.close();
        coordinators.close();
        int lent = broker.containers().lentBuffers();
        broker.close();
        if (lent != 0) {
            throw new AssertionError(lent + " slices of the log were not released");
        }
    }
}
