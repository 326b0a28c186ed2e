package io.sluice.conformance;

import static io.sluice.conformance.clients.KafkaSide.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.conformance.clients.KafkaSide;
import io.sluice.conformance.clients.PulsarClients;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.common.policies.data.RetentionPolicies;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Retention as clients of both protocols set it and see it. */
class RetentionTest {
    private static final Duration SOON = Duration.ofMinutes(1);
    private static final int RECORDS = 20;
    private static final int TIERED_RECORDS = 64;
    private static final int TIERED_RECORD_BYTES = 512 << 10;

    @TempDir
    private static Path folder;

    private static SluiceServer server;
    private static KafkaSide kafka;

    @BeforeAll
    static void startServer() {
        server = SluiceServer.start(folder.resolve("data"), "topics: {retentionCheckMillis: 200}", Map.of());
        kafka = new KafkaSide(server.kafka());
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Test
    void recordsGoByAgeAndBySizeAndOthersStay() throws Exception {
        var old = new TopicPartition("by-age", 0);
        var many = new TopicPartition("by-size", 0);
        var stays = new TopicPartition("stays", 0);
        try (Admin admin = kafka.admin()) {
            var byAge = new NewTopic(old.topic(), 1, (short) 1).configs(Map.of("retention.ms", "1000"));
            var bySize = new NewTopic(many.topic(), 1, (short) 1).configs(Map.of("retention.bytes", "5000"));
            get(admin.createTopics(List.of(byAge, bySize, new NewTopic(stays.topic(), 1, (short) 1)))
                    .all());
            for (TopicPartition each : List.of(old, many, stays)) {
                produce(each);
            }
            await().atMost(SOON).until(() -> earliest(admin, old) == RECORDS);
            await().atMost(SOON).until(() -> earliest(admin, many) >= RECORDS - 6);
            assertThat(earliest(admin, many)).isLessThan(RECORDS);
            assertThat(earliest(admin, stays)).isZero();

            keepNothing(admin, stays.topic());
            await().atMost(SOON).until(() -> earliest(admin, stays) == RECORDS);
        }
    }

    @Test
    void whatIsNoLongerKeptLeavesLongTermStorage() throws Exception {
        var partition = new TopicPartition("tiered", 0);
        kafka.create(partition.topic(), 1);
        try (var producer = kafka.producer(Map.of())) {
            for (int i = 0; i < TIERED_RECORDS; i++) {
                producer.send(new ProducerRecord<>(
                        partition.topic(), partition.partition(), null, KafkaSide.filler(TIERED_RECORD_BYTES)));
            }
        }
        // a file may go while its folder is walked through
        await().atMost(SOON)
                .ignoreException(UncheckedIOException.class)
                .until(() -> tierBytes() > TIERED_RECORDS * TIERED_RECORD_BYTES / 2);
        try (Admin admin = kafka.admin()) {
            keepNothing(admin, partition.topic());
            await().atMost(SOON).until(() -> earliest(admin, partition) == TIERED_RECORDS);
        }
        // a container deletes no object in the first 90 s of its term
        await().atMost(Duration.ofMinutes(3))
                .ignoreException(UncheckedIOException.class)
                .until(() -> tierBytes() < TIERED_RECORD_BYTES);
    }

    @Test
    void aPulsarSubscriptionKeepsWhatItHasNotAcknowledged() throws Exception {
        String local = "retained-" + UUID.randomUUID();
        String topic = "persistent://public/default/" + local;
        try (PulsarClient client = PulsarClients.builder(server.pulsar()).build();
                PulsarAdmin admin =
                        PulsarAdmin.builder().serviceHttpUrl(server.http()).build();
                Consumer<byte[]> consumer = client.newConsumer()
                        .topic(topic)
                        .subscriptionName("slow")
                        .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                        .isAckReceiptEnabled(true)
                        .subscribe();
                Producer<byte[]> producer =
                        client.newProducer().topic(topic).enableBatching(false).create();
                Admin viaKafka = kafka.admin()) {
            for (int i = 0; i < RECORDS; i++) {
                producer.send(new byte[100]);
            }
            for (int i = 0; i < RECORDS / 2; i++) {
                consumer.acknowledge(consumer.receive());
            }
            assertThat(admin.topicPolicies().getRetention(topic)).isNull();
            admin.topicPolicies().setRetention(topic, new RetentionPolicies(0, -1));
            assertThat(admin.topicPolicies().getRetention(topic)).isEqualTo(new RetentionPolicies(0, -1));
            var partition = new TopicPartition(local, 0);
            await().atMost(SOON).until(() -> earliest(viaKafka, partition) == RECORDS / 2);

            admin.topicPolicies().removeRetention(topic);
            assertThat(admin.topicPolicies().getRetention(topic)).isNull();
            for (int i = RECORDS / 2; i < RECORDS; i++) {
                assertThat(consumer.receive().getData()).hasSize(100);
            }
        }
    }

    private static void keepNothing(Admin admin, String topic) throws Exception {
        var resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        var set = new AlterConfigOp(new ConfigEntry("retention.ms", "1"), AlterConfigOp.OpType.SET);
        get(admin.incrementalAlterConfigs(Map.of(resource, List.of(set))).all());
    }

    private static long tierBytes() throws IOException {
        try (Stream<Path> files = Files.walk(server.tierFolder())) {
            return files.map(Path::toFile)
                    .filter(File::isFile)
                    .mapToLong(File::length)
                    .sum();
        }
    }

    private static void produce(TopicPartition partition) throws Exception {
        String[] values = new String[RECORDS];
        Arrays.fill(values, "x".repeat(1_000));
        kafka.produce(partition, values);
    }

    private static long earliest(Admin admin, TopicPartition partition) throws Exception {
        return get(admin.listOffsets(Map.of(partition, OffsetSpec.earliest())).partitionResult(partition))
                .offset();
    }
}
