package io.sluice.kafka.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.TopicConfig;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Stock clients on topics that are compacted under them. */
class CompactedTopicsTest {
    private static final int KEYS = 20;

    private TransactionServer server;

    @BeforeEach
    void start() throws Exception {
        server = new TransactionServer();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private void create(Map<String, String> more) throws Exception {
        Map<String, String> settings = new LinkedHashMap<>(more);
        settings.putIfAbsent(TopicConfig.CLEANUP_POLICY_CONFIG, "compact");
        settings.putIfAbsent(TopicConfig.MIN_CLEANABLE_DIRTY_RATIO_CONFIG, "0");
        try (Admin admin = server.admin()) {
            admin.createTopics(List.of(new NewTopic("t", 1, (short) 1).configs(settings)))
                    .all()
                    .get();
        }
    }

    private static void send(KafkaProducer<String, String> producer, @Nullable String key, @Nullable String value)
            throws Exception {
        producer.send(new ProducerRecord<>("t", 0, key, value)).get();
    }

    private KafkaProducer<String, String> producer(String compression, int linger) {
        return server.plainProducer(Map.of("compression.type", compression, "linger.ms", linger));
    }

    /** Values by key, as a reader of the whole topic ends with; and all records it saw. */
    private List<ConsumerRecord<String, String>> readAll(String isolation) {
        return server.records("t", 0, isolation);
    }

    private static Map<String, String> table(List<ConsumerRecord<String, String>> records) {
        Map<String, String> table = new LinkedHashMap<>();
        for (ConsumerRecord<String, String> record : records) {
            if (record.value() == null) {
                table.remove(record.key());
            } else {
                table.put(record.key(), record.value());
            }
        }
        return table;
    }

    @Test
    void theNewestOfEachKeyStaysWithItsOffset() throws Exception {
        create(Map.of());
        Map<String, String> model = new LinkedHashMap<>();
        Map<String, Long> offsets = new LinkedHashMap<>();
        Random random = new Random(1);
        for (String compression : List.of("none", "zstd", "gzip", "lz4", "snappy")) {
            try (KafkaProducer<String, String> producer = producer(compression, 5)) {
                List<Future<?>> sent = new ArrayList<>();
                for (int i = 0; i < 400; i++) {
                    String key = "k" + random.nextInt(KEYS);
                    String value = compression + i + "x".repeat(random.nextInt(300));
                    model.put(key, value);
                    sent.add(producer.send(new ProducerRecord<>("t", 0, key, value), (metadata, failed) -> {
                        if (metadata != null) {
                            offsets.put(key, metadata.offset());
                        }
                    }));
                }
                for (Future<?> each : sent) {
                    each.get();
                }
                // The last batch stays as it is, however large it is: it is to be this one.
                send(producer, "last " + compression, compression);
                model.put("last " + compression, compression);
            }
            long end = server.end("t");
            long before = server.storedBytes("t");
            assertThat(server.compact()).isEqualTo(1);
            assertThat(server.storedBytes("t")).isLessThan(before);
            assertThat(server.end("t")).isEqualTo(end);
            List<ConsumerRecord<String, String>> read = readAll("read_uncommitted");
            assertThat(table(read)).isEqualTo(model);
            assertThat(read).as("one record of each key").hasSize(model.size());
            for (ConsumerRecord<String, String> record : read) {
                if (offsets.containsKey(record.key())) {
                    assertThat(record.offset()).isEqualTo(offsets.get(record.key()));
                }
            }
            server.restartContainers();
            assertThat(table(readAll("read_committed"))).isEqualTo(model);
        }
        assertThat(server.companions()).as("earlier companions are deleted").isEqualTo(1);
    }

    @Test
    void nothingIsDoneTwice() throws Exception {
        create(Map.of());
        try (KafkaProducer<String, String> producer = producer("none", 0)) {
            for (int i = 0; i < 10; i++) {
                send(producer, "k", "v" + i);
            }
        }
        assertThat(server.compact()).isEqualTo(1);
        assertThat(server.compact()).isZero();
        assertThat(readAll("read_committed")).extracting(ConsumerRecord::value).containsExactly("v8", "v9");
    }

    @Test
    void aTombstoneStaysForItsTimeAndThenGoes() throws Exception {
        create(Map.of(TopicConfig.DELETE_RETENTION_MS_CONFIG, "60000"));
        try (KafkaProducer<String, String> producer = producer("none", 0)) {
            send(producer, "a", "1");
            send(producer, "b", "1");
            send(producer, "a", null);
            send(producer, "c", "1");
            server.compact();
            assertThat(readAll("read_committed"))
                    .extracting(ConsumerRecord::key)
                    .containsExactly("b", "a", "c");
            server.timePasses(61_000);
            send(producer, "d", "1");
            server.compact();
            assertThat(readAll("read_committed"))
                    .extracting(ConsumerRecord::key)
                    .containsExactly("b", "c", "d");
        }
    }

    @Test
    void whatIsTooYoungStays() throws Exception {
        create(Map.of(TopicConfig.MIN_COMPACTION_LAG_MS_CONFIG, "60000"));
        try (KafkaProducer<String, String> producer = producer("none", 0)) {
            for (int i = 0; i < 10; i++) {
                send(producer, "k", "v" + i);
            }
            assertThat(server.compact()).isZero();
            server.timePasses(61_000);
            assertThat(server.compact()).isEqualTo(1);
            assertThat(readAll("read_committed")).hasSize(2);
        }
    }

    @Test
    void abortedDataGoesAndHidesNothing() throws Exception {
        create(Map.of());
        try (KafkaProducer<String, String> producer = server.producer("id")) {
            producer.initTransactions();
            for (int i = 0; i < 12; i++) {
                producer.beginTransaction();
                send(producer, "k" + i % 2, "v" + i);
                send(producer, "once" + i, "o" + i);
                if (i % 3 == 2) {
                    producer.abortTransaction();
                } else {
                    // The client of 4.4 may end a transaction before it has sent the batches: see
                    // docs/client-faults.md.
                    producer.flush();
                    producer.commitTransaction();
                }
            }
            producer.beginTransaction();
            send(producer, "k0", "open");
            Map<String, String> before = table(readAll("read_committed"));
            assertThat(before).containsEntry("k0", "v10").containsEntry("k1", "v9");
            assertThat(server.compact()).isEqualTo(1);
            assertThat(table(readAll("read_committed"))).isEqualTo(before);
            assertThat(readAll("read_uncommitted"))
                    .extracting(ConsumerRecord::value)
                    .contains("open")
                    .doesNotContain("o2", "o5", "o8", "v2");
            producer.abortTransaction();
        }
        server.restartContainers();
        assertThat(table(readAll("read_committed"))).containsEntry("k0", "v10");
    }

    @Test
    void recordsMayBeDeletedInsideWhatWasCompacted() throws Exception {
        create(Map.of(TopicConfig.CLEANUP_POLICY_CONFIG, "compact,delete"));
        try (KafkaProducer<String, String> producer = producer("none", 0)) {
            for (int i = 0; i < 40; i++) {
                send(producer, "k" + i % 10, "v" + i);
            }
        }
        server.compact();
        try (Admin admin = server.admin()) {
            admin.deleteRecords(Map.of(new TopicPartition("t", 0), RecordsToDelete.beforeOffset(35)))
                    .all()
                    .get();
        }
        assertThat(readAll("read_committed"))
                .extracting(ConsumerRecord::value)
                .containsExactly("v35", "v36", "v37", "v38", "v39");
        server.restartContainers();
        assertThat(readAll("read_committed")).hasSize(5);
    }

    @Test
    void aTopicThatIsDeletedLeavesNothing() throws Exception {
        create(Map.of());
        try (KafkaProducer<String, String> producer = producer("none", 0)) {
            for (int i = 0; i < 10; i++) {
                send(producer, "k", "v" + i);
            }
        }
        server.compact();
        assertThat(server.companions()).isEqualTo(1);
        try (Admin admin = server.admin()) {
            admin.deleteTopics(List.of("t")).all().get();
        }
        server.compact();
        assertThat(server.companions()).isZero();
    }

    @Test
    void aRecordWithoutAKeyIsRefused() throws Exception {
        create(Map.of());
        try (KafkaProducer<String, String> producer = producer("none", 0)) {
            assertThatThrownBy(() -> send(producer, null, "v"))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(InvalidRecordException.class);
        }
    }
}
