package io.sluice.conformance;

import static io.sluice.conformance.clients.KafkaSide.get;
import static io.sluice.conformance.clients.KafkaSide.poll;
import static io.sluice.conformance.clients.KafkaSide.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.conformance.clients.KafkaSide;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Topics that are deleted, made again and grow, under Kafka clients that are connected; nothing is created by naming it. */
class KafkaTopicChangesTest {
    @TempDir
    private static Path folder;

    private static SluiceServer server;
    private static KafkaSide kafka;

    @BeforeAll
    static void startServer() {
        server = SluiceServer.start(folder.resolve("data"), "topics: {autoCreate: false}", Map.of());
        kafka = new KafkaSide(server.kafka());
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Test
    void aProducerOfADeletedTopicIsToldSoAndGoesOnWithOthers() throws Exception {
        var gone = new TopicPartition("produced-gone", 0);
        var stays = new TopicPartition("produced-stays", 0);
        kafka.create(gone.topic(), 1);
        kafka.create(stays.topic(), 1);
        try (var producer = kafka.producer(
                Map.of("delivery.timeout.ms", 8_000, "request.timeout.ms", 4_000, "max.block.ms", 5_000))) {
            assertThat(send(producer, gone, "a")).isZero();
            assertThat(send(producer, stays, "a")).isZero();
            kafka.delete(gone.topic());

            // The first finds out from its answers; those after it from the metadata.
            assertThatThrownBy(() -> send(producer, gone, "b")).hasCauseInstanceOf(TimeoutException.class);
            assertThatThrownBy(() -> send(producer, gone, "c"))
                    .hasCauseInstanceOf(TimeoutException.class)
                    .hasMessageContaining("not present in metadata");
            assertThat(send(producer, stays, "b")).isEqualTo(1);

            kafka.create(gone.topic(), 1);
            assertThat(send(producer, gone, "d")).isZero();
            assertThat(send(producer, gone, "e")).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void aGroupThatReadsADeletedTopicGoesOnWithOthersAndReadsTheNewOneFromTheStart(String protocol) throws Exception {
        var gone = new TopicPartition("read-gone-" + protocol, 0);
        var stays = new TopicPartition("read-stays-" + protocol, 0);
        Uuid oldId = kafka.create(gone.topic(), 1);
        kafka.create(stays.topic(), 1);
        kafka.produce(gone, "old 0", "old 1", "old 2");
        String group = "group-" + protocol;
        try (var consumer = kafka.consumer(Map.of(
                        "group.id",
                        group,
                        "group.protocol",
                        protocol,
                        "auto.offset.reset",
                        "earliest",
                        "metadata.max.age.ms",
                        1_000));
                Admin admin = kafka.admin()) {
            consumer.subscribe(List.of(gone.topic(), stays.topic()));
            assertThat(poll(consumer, 3)).hasSize(3);
            kafka.produce(stays, "0");
            assertThat(poll(consumer, 1)).containsExactly(stays + "@0=0");
            consumer.commitSync();
            assertThat(committed(admin, group)).containsKeys(gone, stays);

            kafka.delete(gone.topic());
            kafka.produce(stays, "1", "2");
            // Members of a classic group read what is not committed again when the deletion makes them join anew,
            // which may be between the two records.
            Set<String> read = new LinkedHashSet<>();
            await().pollInSameThread().until(() -> {
                read.addAll(poll(consumer, 1));
                return read.contains(stays + "@2=2");
            });
            assertThat(read).containsExactly(stays + "@1=1", stays + "@2=2");
            consumer.commitSync(Map.of(stays, new OffsetAndMetadata(3)));
            await().untilAsserted(() ->
                    assertThat(committed(admin, group)).containsKey(stays).doesNotContainKey(gone));

            // A reader that has not heard of the deletion would go on in the new topic from its position in the old
            // one.
            await().pollInSameThread().untilAsserted(() -> {
                assertThat(consumer.poll(Duration.ofMillis(100))).isEmpty();
                assertThat(consumer.assignment()).containsExactly(stays);
            });

            assertThat(kafka.create(gone.topic(), 1)).isNotEqualTo(oldId);
            assertThat(kafka.offset(gone, OffsetSpec.latest())).isZero();
            kafka.produce(gone, "new 0", "new 1", "new 2", "new 3");
            assertThat(poll(consumer, 4))
                    .containsExactly(gone + "@0=new 0", gone + "@1=new 1", gone + "@2=new 2", gone + "@3=new 3");
        }
    }

    private static Map<TopicPartition, OffsetAndMetadata> committed(Admin admin, String group) throws Exception {
        return get(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata());
    }

    @Test
    void aTopicMadeAgainHasNothingOfTheOldAlsoAfterAKill() throws Exception {
        var topic = new TopicPartition("again", 0);
        for (int round = 0; round < 5; round++) {
            kafka.create(topic.topic(), 1);
            kafka.produce(topic, "round " + round);
            kafka.delete(topic.topic());
        }
        kafka.create(topic.topic(), 1);
        kafka.produce(topic, "last");
        server.kill();
        server.start();
        try (var consumer = kafka.consumer(Map.of())) {
            consumer.assign(List.of(topic));
            consumer.seekToBeginning(List.of(topic));
            assertThat(poll(consumer, 1)).containsExactly(topic + "@0=last");
            assertThat(consumer.endOffsets(List.of(topic))).containsEntry(topic, 1L);
        }
    }

    /** One consumer, and so one fetch session, whose partitions change with every round; seeded. */
    @Test
    void aFetchSessionFollowsPartitionsThatComeGoAndAreMadeAgain() throws Exception {
        var random = new Random(7);
        Map<TopicPartition, Integer> written = new HashMap<>();
        Map<TopicPartition, Long> read = new HashMap<>();
        for (int t = 0; t < 6; t++) {
            kafka.create("session-" + t, 2);
            written.put(new TopicPartition("session-" + t, 0), 0);
            written.put(new TopicPartition("session-" + t, 1), 0);
        }
        try (var producer = kafka.producer(Map.of());
                var consumer = kafka.consumer(Map.of("auto.offset.reset", "none", "metadata.max.age.ms", 500));
                Admin admin = kafka.admin()) {
            for (int round = 0; round < 25; round++) {
                if (round == 10) {
                    makeAgain("session-0", written, read);
                } else if (round == 15) {
                    get(admin.createPartitions(Map.of("session-1", NewPartitions.increaseTo(3)))
                            .all());
                    written.put(new TopicPartition("session-1", 2), 0);
                }
                for (TopicPartition partition : written.keySet()) {
                    int number = written.merge(partition, 1, Integer::sum) - 1;
                    producer.send(new ProducerRecord<>(
                            partition.topic(), partition.partition(), null, Integer.toString(number)));
                }
                producer.flush();
                catchUp(consumer, chosen(random, written, round == 24), written, read);
            }
        }
        written.forEach((partition, count) -> assertThat(read).containsEntry(partition, (long) count));
    }

    private static void makeAgain(String topic, Map<TopicPartition, Integer> written, Map<TopicPartition, Long> read)
            throws Exception {
        kafka.delete(topic);
        kafka.create(topic, 2);
        for (int p = 0; p < 2; p++) {
            written.put(new TopicPartition(topic, p), 0);
            read.remove(new TopicPartition(topic, p));
        }
    }

    private static List<TopicPartition> chosen(Random random, Map<TopicPartition, Integer> from, boolean all) {
        List<TopicPartition> partitions = new ArrayList<>(from.keySet());
        Collections.shuffle(partitions, random);
        return all ? partitions : partitions.subList(0, 1 + random.nextInt(partitions.size()));
    }

    private static void catchUp(
            KafkaConsumer<String, String> consumer,
            List<TopicPartition> partitions,
            Map<TopicPartition, Integer> written,
            Map<TopicPartition, Long> read) {
        consumer.assign(partitions);
        partitions.forEach(partition -> consumer.seek(partition, read.getOrDefault(partition, 0L)));
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (partitions.stream().anyMatch(p -> read.getOrDefault(p, 0L) < written.getOrDefault(p, 0))) {
            assertThat(System.nanoTime()).as("read %s of %s", read, written).isLessThan(deadline);
            for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(200))) {
                var partition = new TopicPartition(record.topic(), record.partition());
                long expected = read.getOrDefault(partition, 0L);
                assertThat(record.offset()).as("%s", partition).isEqualTo(expected);
                assertThat(record.value()).isEqualTo(Long.toString(expected));
                read.put(partition, expected + 1);
            }
        }
    }
}
