package io.sluice.kafka.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sluice.broker.TestBroker;
import io.sluice.broker.TwoNodes;
import io.sluice.broker.topic.Topic;
import io.sluice.kafka.KafkaGateway;
import io.sluice.kafka.KafkaGatewayConfig;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.coordinator.handler.GroupHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.utils.Time;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that know one of two nodes find what the other one serves: partitions, and the coordinators of groups. */
@Timeout(60)
class TwoNodesTest {
    private static final int GROUPS = 8;
    private static final int PARTITIONS = 6;

    private final TestBroker broker = TestBroker.start();
    private final TwoNodes nodes = new TwoNodes(broker);
    private final Topic topic = broker.createTopic("t", PARTITIONS);
    private final List<KafkaNode> started = new ArrayList<>();

    private final class KafkaNode {
        private final GroupCoordinators groups;
        private final KafkaGateway gateway;
        private final int port;

        KafkaNode(int id) throws Exception {
            var services = new KafkaServices(
                    broker.catalogue(),
                    nodes.partitionsOf(id),
                    () -> id,
                    task -> Thread.ofVirtual().start(task),
                    System::currentTimeMillis,
                    nodes.of(id));
            groups = GroupCoordinators.start(Settings.quick(), services, Time.SYSTEM);
            gateway = new KafkaGateway(
                    KafkaGatewayConfig.local(0), services, GroupHandlers.of(groups), new SimpleMeterRegistry());
            port = gateway.start();
        }

        void close() {
            gateway.close();
            groups.close();
        }
    }

    @BeforeEach
    void start() throws Exception {
        started.add(new KafkaNode(1));
        started.add(new KafkaNode(2));
    }

    @AfterEach
    void close() {
        started.forEach(KafkaNode::close);
        broker.close();
    }

    private Map<String, Object> settings(int node, Map<String, Object> more) {
        var settings = new HashMap<>(more);
        settings.put("bootstrap.servers", "127.0.0.1:" + started.get(node - 1).port);
        return settings;
    }

    @Test
    void bothNodesDescribeTheSameCluster() throws Exception {
        for (int node = 1; node <= 2; node++) {
            try (Admin admin = Admin.create(settings(node, Map.of()))) {
                assertThat(admin.describeCluster().nodes().get().stream().map(Node::id))
                        .containsExactlyInAnyOrder(1, 2);
                var described = Objects.requireNonNull(admin.describeTopics(List.of("t"))
                                .allTopicNames()
                                .get()
                                .get("t"))
                        .partitions();
                for (var partition : described) {
                    int container =
                            topic.partitions().get(partition.partition()).container();
                    assertThat(partition.leader().id()).isEqualTo(1 + container % 2);
                }
                assertThat(described.stream().map(p -> p.leader().id())).contains(1, 2);
            }
        }
    }

    @Test
    void aClientOfOneNodeWritesAndReadsWhatBothServe() throws Exception {
        Set<Integer> coordinators = new TreeSet<>();
        try (var producer = new KafkaProducer<>(
                settings(1, Map.of("request.timeout.ms", 10_000, "delivery.timeout.ms", 20_000)),
                new StringSerializer(),
                new StringSerializer())) {
            for (int p = 0; p < PARTITIONS; p++) {
                producer.send(new ProducerRecord<>("t", p, "k", "v" + p)).get(20, TimeUnit.SECONDS);
            }
        }
        for (int g = 0; g < GROUPS; g++) {
            String group = "g" + g;
            try (var consumer = new KafkaConsumer<>(
                    settings(1, Map.of("group.id", group, "auto.offset.reset", "earliest")),
                    new StringDeserializer(),
                    new StringDeserializer())) {
                consumer.subscribe(List.of("t"));
                Set<String> read = new TreeSet<>();
                while (read.size() < PARTITIONS) {
                    consumer.poll(Duration.ofMillis(100)).forEach(r -> read.add(r.value()));
                }
                consumer.commitSync();
            }
            try (Admin admin = Admin.create(settings(1, Map.of()))) {
                var described =
                        admin.describeConsumerGroups(List.of(group)).all().get();
                coordinators.add(Objects.requireNonNull(described.get(group))
                        .coordinator()
                        .id());
            }
        }
        assertThat(coordinators).containsExactly(1, 2);
    }
}
