package io.sluice.kafka.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import io.sluice.store.segment.InMemoryContainers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A topic of 64 partitions that stock clients use like any other; those that nobody writes to are never made. */
@Timeout(60)
class ElasticTopicTest {
    private static final ConfigResource TOPIC = new ConfigResource(ConfigResource.Type.TOPIC, "t");

    private GroupServer server;
    private Admin admin;

    @BeforeEach
    void start() throws Exception {
        server = new GroupServer();
        admin = Admin.create(settings(Map.of()));
        admin.createTopics(List.of(new NewTopic("t", Optional.empty(), Optional.empty())
                        .configs(Map.of("sluice.elastic", "true"))))
                .all()
                .get();
    }

    @AfterEach
    void close() {
        admin.close();
        server.close();
    }

    private Map<String, Object> settings(Map<String, Object> more) {
        Map<String, Object> settings = new HashMap<>(more);
        settings.put("bootstrap.servers", "127.0.0.1:" + server.port());
        return settings;
    }

    private Topic topic() {
        return Objects.requireNonNull(server.broker().catalogue().find(TopicName.ofDefault("t")));
    }

    private long made() {
        return topic().partitions().stream()
                .filter(p -> server.broker().partitions().find(p) != null)
                .count();
    }

    private void send(int from, int to) throws Exception {
        try (var producer = new KafkaProducer<>(settings(Map.of()), new StringSerializer(), new StringSerializer())) {
            for (int i = from; i < to; i++) {
                producer.send(new ProducerRecord<>("t", "key" + i % 3, "v" + i)).get(20, TimeUnit.SECONDS);
            }
        }
    }

    @Test
    void onlyWhatIsWrittenToIsMade() throws Exception {
        var described = admin.describeTopics(List.of("t")).allTopicNames().get().get("t");
        assertThat(Objects.requireNonNull(described).partitions())
                .hasSize(64)
                .allSatisfy(p -> assertThat(p.leader().id()).isEqualTo(1));
        assertThat(made()).isZero();
        try (var consumer = new KafkaConsumer<>(
                settings(Map.of("group.id", "g", "auto.offset.reset", "earliest")),
                new StringDeserializer(),
                new StringDeserializer())) {
            consumer.subscribe(List.of("t"));
            Collection<String> read = new ArrayList<>();
            while (consumer.assignment().isEmpty()) {
                consumer.poll(Duration.ofMillis(50)).forEach(r -> read.add(r.value()));
            }
            // waits at the end of partitions that are not there yet
            consumer.poll(Duration.ofMillis(300)).forEach(r -> read.add(r.value()));
            assertThat(read).isEmpty();
            assertThat(made()).isZero();
            send(0, 30);
            while (read.size() < 30) {
                consumer.poll(Duration.ofMillis(50)).forEach(r -> read.add(r.value()));
            }
            assertThat(made()).isBetween(1L, 3L);
            moveAll();
            send(30, 60);
            while (read.size() < 60) {
                consumer.poll(Duration.ofMillis(50)).forEach(r -> read.add(r.value()));
            }
            assertThat(read).doesNotHaveDuplicates();
        }
        var ends = admin.listOffsets(ends()).all().get();
        assertThat(ends.values().stream().mapToLong(end -> end.offset()).sum()).isEqualTo(60);
    }

    /** A client takes no lower leader epoch for news, and would ask the container that is gone for ever. */
    @Test
    void aConsumerFindsPartitionsThatNobodyHadMadeWhenTheirContainerLeft() throws Exception {
        int container = topic().partitions().getFirst().container();
        for (int i = 0; i < 20; i++) {
            server.broker().containers().stop(container);
            server.broker().containers().start(container);
        }
        try (var consumer = new KafkaConsumer<>(
                settings(Map.of("auto.offset.reset", "earliest", "metadata.max.age.ms", "500")),
                new StringDeserializer(),
                new StringDeserializer())) {
            consumer.assign(ends().keySet());
            assertThat(consumer.poll(Duration.ofMillis(300))).isEmpty();
            server.broker().containers().leave(container);
            server.broker().movePartitionsHome();
            assertThat(topic().partitions())
                    .allSatisfy(p -> assertThat(p.container()).isNotEqualTo(container));
            send(0, 30);
            Collection<String> read = new ArrayList<>();
            while (read.size() < 30) {
                consumer.poll(Duration.ofMillis(50)).forEach(r -> read.add(r.value()));
            }
            assertThat(read).doesNotHaveDuplicates();
        }
    }

    private Map<TopicPartition, OffsetSpec> ends() {
        Map<TopicPartition, OffsetSpec> all = new HashMap<>();
        for (int p = 0; p < 64; p++) {
            all.put(new TopicPartition("t", p), OffsetSpec.latest());
        }
        return all;
    }

    /** Those that are made and one that is not. */
    private void moveAll() {
        for (int p = 0; p < 64; p++) {
            Topic.Placement placement = topic().partitions().get(p);
            if (p == 0 || server.broker().partitions().find(placement) != null) {
                server.broker()
                        .catalogue()
                        .move(topic().name(), p, 1 - placement.container())
                        .join();
            }
        }
    }

    @Test
    void fetchesThatFindNothingLeaveNoTimersBehind() throws Exception {
        var impatient = Map.<String, Object>of("fetch.max.wait.ms", 5, "auto.offset.reset", "earliest");
        try (var consumer =
                new KafkaConsumer<>(settings(impatient), new StringDeserializer(), new StringDeserializer())) {
            consumer.assign(ends().keySet());
            while (fetches(consumer) < 30) {
                consumer.poll(Duration.ofMillis(50));
            }
            assertThat(made()).isZero();
            InMemoryContainers containers = server.broker().containers();
            for (int id : containers.all()) {
                int timers = containers.onLoop(id, () -> containers.get(id).timers());
                assertThat(timers).as("timers of container " + id).isLessThanOrEqualTo(1);
            }
        }
    }

    private static double fetches(KafkaConsumer<String, String> consumer) {
        return consumer.metrics().values().stream()
                .filter(metric -> metric.metricName().name().equals("fetch-total"))
                .mapToDouble(metric -> (double) metric.metricValue())
                .sum();
    }

    @Test
    void elasticityIsShownAndCannotBeChanged() throws Exception {
        ConfigEntry shown = Objects.requireNonNull(
                        admin.describeConfigs(List.of(TOPIC)).all().get().get(TOPIC))
                .get("sluice.elastic");
        assertThat(shown.value()).isEqualTo("true");
        assertThat(shown.isReadOnly()).isTrue();
        assertThatThrownBy(() -> alter("sluice.elastic", "false"))
                .hasCauseInstanceOf(InvalidConfigurationException.class);
        alter("retention.ms", "3600000");
        assertThat(topic().isElastic()).isTrue();
        assertThatThrownBy(() -> admin.createTopics(List.of(new NewTopic("u", Optional.empty(), Optional.empty())
                                .configs(Map.of("sluice.elastic", "maybe"))))
                        .all()
                        .get())
                .hasCauseInstanceOf(InvalidConfigurationException.class)
                .hasMessageContaining("sluice.elastic");
    }

    private void alter(String name, String value) throws Exception {
        AlterConfigOp set = new AlterConfigOp(new ConfigEntry(name, value), AlterConfigOp.OpType.SET);
        admin.incrementalAlterConfigs(Map.of(TOPIC, List.of(set))).all().get();
    }
}
