package io.sluice.conformance;

import static io.sluice.conformance.clients.KafkaSide.get;
import static io.sluice.conformance.clients.KafkaSide.poll;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.conformance.clients.KafkaSide;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where Kafka's clients are told to read: the bounds of a log, times, leader epochs, and what was deleted. */
class KafkaOffsetsTest {
    @TempDir
    private static Path folder;

    private static SluiceServer server;
    private static KafkaSide kafka;

    @BeforeAll
    static void startServer() {
        server = SluiceServer.start(folder.resolve("data"));
        kafka = new KafkaSide(server.kafka());
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    private static TopicPartition tenRecords(String topic) throws Exception {
        var partition = new TopicPartition(topic, 0);
        kafka.create(topic, 1);
        kafka.produce(partition, "0", "1", "2", "3", "4", "5", "6", "7", "8", "9");
        return partition;
    }

    @Test
    void readersOfDeletedRecordsGoWhereTheirResetPolicySays() throws Exception {
        TopicPartition partition = tenRecords("deleted-records");
        try (var early = kafka.consumer(Map.of("group.id", "early", "auto.offset.reset", "earliest"));
                var late = kafka.consumer(Map.of("group.id", "late", "auto.offset.reset", "latest"));
                var strict = kafka.consumer(Map.of("group.id", "strict", "auto.offset.reset", "none"))) {
            for (var consumer : List.of(early, late, strict)) {
                consumer.assign(List.of(partition));
                consumer.commitSync(Map.of(partition, new OffsetAndMetadata(3)));
            }
            try (Admin admin = kafka.admin()) {
                var deleted = admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(6)));
                assertThat(get(deleted.lowWatermarks().get(partition)).lowWatermark())
                        .isEqualTo(6);
            }
            assertThat(early.beginningOffsets(List.of(partition))).containsEntry(partition, 6L);
            assertThat(poll(early, 4))
                    .containsExactly(partition + "@6=6", partition + "@7=7", partition + "@8=8", partition + "@9=9");
            assertThatThrownBy(() -> poll(strict, 1))
                    .isInstanceOfSatisfying(
                            OffsetOutOfRangeException.class,
                            refused -> assertThat(refused.offsetOutOfRangePartitions())
                                    .containsEntry(partition, 3L));
            await().pollInSameThread().until(() -> {
                assertThat(late.poll(Duration.ofMillis(100))).isEmpty();
                return late.position(partition) == 10;
            });
            kafka.produce(partition, "10");
            assertThat(poll(late, 1)).containsExactly(partition + "@10=10");
            assertThat(poll(early, 1)).containsExactly(partition + "@10=10");
        }
    }

    @Test
    void deletesAllRecordsButNoneThatAreNotThere() throws Exception {
        TopicPartition partition = tenRecords("all-deleted");
        try (Admin admin = kafka.admin()) {
            assertThatThrownBy(() -> get(admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(11)))
                            .all()))
                    .hasCauseInstanceOf(org.apache.kafka.common.errors.OffsetOutOfRangeException.class);
            get(admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(-1)))
                    .all());
            // What is deleted already may be deleted again.
            get(admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(2)))
                    .all());
        }
        server.kill();
        server.start();
        assertThat(kafka.offset(partition, OffsetSpec.earliest())).isEqualTo(10);
        assertThat(kafka.offset(partition, OffsetSpec.latest())).isEqualTo(10);
        assertThat(kafka.offset(partition, OffsetSpec.maxTimestamp())).isEqualTo(-1);
        kafka.produce(partition, "new");
        try (var consumer = kafka.consumer(Map.of("auto.offset.reset", "earliest"))) {
            consumer.assign(List.of(partition));
            assertThat(poll(consumer, 1)).containsExactly(partition + "@10=new");
        }
    }

    @Test
    void listsOffsetsOfEveryKind() throws Exception {
        var partition = new TopicPartition("listed", 0);
        kafka.create(partition.topic(), 1);
        long[] times = {1_000, 1_001, 9_000, 1_003, 1_004, 2_000, 1_006};
        // One batch, compressed: what is asked for lies inside it.
        try (var producer = kafka.producer(Map.of("linger.ms", 500, "compression.type", "zstd"))) {
            for (long time : times) {
                producer.send(new ProducerRecord<>(partition.topic(), 0, time, null, "at " + time));
            }
        }
        try (var producer = kafka.producer(Map.of("batch.size", 1))) {
            producer.send(new ProducerRecord<>(partition.topic(), 0, 3_000L, null, "at 3000"));
        }
        for (boolean restarted : new boolean[] {false, true}) {
            assertThat(kafka.offset(partition, OffsetSpec.earliest())).isZero();
            assertThat(kafka.offset(partition, OffsetSpec.latest())).isEqualTo(8);
            assertThat(kafka.offset(partition, OffsetSpec.maxTimestamp())).isEqualTo(2);
            assertThat(kafka.offset(partition, OffsetSpec.earliestLocal())).isZero();
            assertThat(kafka.offset(partition, OffsetSpec.latestTiered())).isEqualTo(-1);
            assertThat(kafka.offset(partition, OffsetSpec.forTimestamp(0))).isZero();
            assertThat(kafka.offset(partition, OffsetSpec.forTimestamp(1_001))).isEqualTo(1);
            assertThat(kafka.offset(partition, OffsetSpec.forTimestamp(1_002))).isEqualTo(2);
            assertThat(kafka.offset(partition, OffsetSpec.forTimestamp(9_001))).isEqualTo(-1);
            try (var consumer = kafka.consumer(Map.of())) {
                var found = consumer.offsetsForTimes(Map.of(partition, 2_500L)).get(partition);
                assertThat(Objects.requireNonNull(found).offset()).isEqualTo(2);
                assertThat(found.timestamp()).isEqualTo(9_000);
                assertThat(consumer.offsetsForTimes(Map.of(partition, 9_001L)).get(partition))
                        .isNull();
            }
            if (!restarted) {
                server.stop();
                server.start();
            }
        }
    }

    /** Every restart begins a new leader epoch; a reader's position is checked against where the old one ended. */
    @Test
    void positionsOfAnEarlierLeaderEpochAreChecked() throws Exception {
        TopicPartition partition = tenRecords("epochs");
        try (var running = kafka.consumer(Map.of("auto.offset.reset", "none"));
                var seeking = kafka.consumer(Map.of("auto.offset.reset", "none"))) {
            running.assign(List.of(partition));
            running.seekToBeginning(List.of(partition));
            assertThat(poll(running, 10)).hasSize(10);
            server.kill();
            server.start();
            kafka.produce(partition, "10", "11", "12");
            assertThat(poll(running, 3))
                    .containsExactly(partition + "@10=10", partition + "@11=11", partition + "@12=12");

            seeking.assign(List.of(partition));
            seeking.seek(partition, 9);
            List<ConsumerRecord<String, String>> both =
                    seeking.poll(Duration.ofSeconds(20)).records(partition);
            int before = both.getFirst().leaderEpoch().orElseThrow();
            seeking.seek(partition, new OffsetAndMetadata(10, Optional.of(before), ""));
            assertThat(poll(seeking, 3)).hasSize(3);
            seeking.seek(partition, new OffsetAndMetadata(12, Optional.of(before), ""));
            assertThatThrownBy(() -> poll(seeking, 1)).isInstanceOfSatisfying(LogTruncationException.class, cut -> {
                assertThat(cut.divergentOffsets()).containsOnlyKeys(partition);
                assertThat(Objects.requireNonNull(cut.divergentOffsets().get(partition))
                                .offset())
                        .isEqualTo(10);
            });
        }
    }
}
