package io.sluice.kafka.coordinator;

import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sluice.broker.TestBroker;
import io.sluice.broker.cluster.SingleNode;
import io.sluice.broker.group.GroupConfigs;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import io.sluice.kafka.KafkaGateway;
import io.sluice.kafka.KafkaGatewayConfig;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.coordinator.handler.GroupHandlers;
import io.sluice.store.cluster.InMemoryMetadata;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.utils.Time;

/** A gateway with groups over a broker in memory, and stock clients for it. */
final class GroupServer implements AutoCloseable {
    private final TestBroker broker;
    private final GroupCoordinators groups;
    private final InMemoryMetadata metadata = new InMemoryMetadata();
    private final GroupConfigs configs;
    private final KafkaGateway gateway;
    private final int port;

    GroupServer() throws Exception {
        this(TestBroker.start());
    }

    /** Ends the broker with itself. */
    GroupServer(TestBroker broker) throws Exception {
        this.broker = broker;
        AtomicLong producerIds = new AtomicLong(1000);
        KafkaServices services = new KafkaServices(
                broker.catalogue(),
                broker.partitions(),
                producerIds::getAndIncrement,
                task -> Thread.ofVirtual().start(task),
                System::currentTimeMillis,
                new SingleNode("test-cluster-id-000000", 1));
        KafkaGatewayConfig config = KafkaGatewayConfig.local(0);
        groups = GroupCoordinators.start(Settings.quick(), services, Time.SYSTEM);
        configs = new GroupConfigs(metadata, services.blocking());
        configs.load();
        gateway = new KafkaGateway(
                config,
                services.with(groups.configurations(configs)),
                GroupHandlers.of(groups),
                groups.shares(),
                new SimpleMeterRegistry());
        port = gateway.start();
    }

    int port() {
        return port;
    }

    TestBroker broker() {
        return broker;
    }

    /** The terms of all containers end and the next begin, under the clients' feet. */
    void restartContainers() {
        for (int container : broker.containers().all()) {
            broker.containers().stop(container);
            groups.containerStopped(container);
            broker.containers().start(container);
            groups.containerServing(container);
        }
    }

    /** Nothing becomes durable from now on, until so many records were appended to the offsets topic; completes then. */
    CompletableFuture<Void> holdUntilOffsetsAreSequenced(int records) {
        broker.containers().all().forEach(id -> broker.containers().get(id).hold());
        long before = sequencedOffsetsRecords();
        return CompletableFuture.runAsync(
                () -> {
                    await().until(() -> sequencedOffsetsRecords() >= before + records);
                    broker.containers()
                            .all()
                            .forEach(id -> broker.containers().get(id).release());
                },
                task -> Thread.ofVirtual().start(task));
    }

    private long sequencedOffsetsRecords() {
        Topic offsets =
                Objects.requireNonNull(broker.catalogue().find(TopicName.ofDefault(GroupCoordinators.OFFSETS_TOPIC)));
        return offsets.partitions().stream()
                .map(placement -> Objects.requireNonNull(broker.partitions().find(placement)))
                .mapToLong(log -> broker.onLoop(log, log::sequencedEnd))
                .sum();
    }

    private Map<String, Object> client(Map<String, Object> more) {
        Map<String, Object> settings = new HashMap<>();
        settings.put("bootstrap.servers", "127.0.0.1:" + port);
        settings.putAll(more);
        return settings;
    }

    Admin admin() {
        return Admin.create(client(Map.of()));
    }

    KafkaConsumer<String, String> consumer(String protocol, String group, Map<String, Object> more) {
        Map<String, Object> settings = client(Map.of(
                "group.protocol",
                protocol,
                "group.id",
                group,
                "auto.offset.reset",
                "earliest",
                "enable.auto.commit",
                false));
        if (protocol.equals("classic")) {
            settings.put("heartbeat.interval.ms", 200);
        }
        settings.putAll(more);
        return new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
    }

    /** Sets settings of a group, as its users do. */
    void configure(String group, Map<String, String> settings) throws Exception {
        try (Admin admin = admin()) {
            List<AlterConfigOp> set = settings.entrySet().stream()
                    .map(each -> new AlterConfigOp(
                            new ConfigEntry(each.getKey(), each.getValue()), AlterConfigOp.OpType.SET))
                    .toList();
            admin.incrementalAlterConfigs(Map.of(new ConfigResource(ConfigResource.Type.GROUP, group), set))
                    .all()
                    .get();
        }
    }

    KafkaShareConsumer<String, String> shareConsumer(String group, Map<String, Object> more) {
        Map<String, Object> settings = client(Map.of("group.id", group));
        settings.putAll(more);
        return new KafkaShareConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
    }

    KafkaConsumer<String, String> consumer(String protocol, String group) {
        return consumer(protocol, group, Map.of());
    }

    /** {@code count} records to every partition, durable when this returns. */
    void produce(String topic, int partitions, int count) {
        try (var producer = new KafkaProducer<>(client(Map.of()), new StringSerializer(), new StringSerializer())) {
            for (int i = 0; i < count; i++) {
                for (int p = 0; p < partitions; p++) {
                    producer.send(new ProducerRecord<>(topic, p, "k" + i, topic + "-" + p + "-" + i));
                }
            }
            producer.flush();
        }
    }

    @Override
    public void close() {
        gateway.close();
        configs.close();
        metadata.close();
        groups.close();
        broker.close();
    }
}
