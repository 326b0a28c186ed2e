package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.conformance.clients.KafkaSide;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests over many partitions come while long-term storage is far behind and the store is full. */
class FullStoreTest {
    private static final int PARTITIONS = 28;
    private static final int RECORD_BYTES = 1_000_000;
    private static final int ROUNDS = 16;

    @TempDir
    private Path folder;

    @Test
    void everyPartOfARequestIsStoredOrRefusedWhileTheStoreIsFull() throws Exception {
        try (SluiceServer server = SluiceServer.start(
                folder.resolve("data"),
                "store: {containers: 1}\ntier: {maxUploadBytesPerSecond: 1048576}",
                Map.of("SLUICE_MEMORY", "512m"))) {
            KafkaSide side = new KafkaSide(server.kafka());
            side.create("full", PARTITIONS);
            int stored = 0;
            try (KafkaProducer<String, String> producer = side.producer(Map.of(
                    "linger.ms",
                    1_000,
                    "batch.size",
                    RECORD_BYTES + 1_000,
                    "max.request.size",
                    64 << 20,
                    "buffer.memory",
                    (long) ROUNDS * PARTITIONS * (RECORD_BYTES + 1_000),
                    "request.timeout.ms",
                    4_000,
                    "delivery.timeout.ms",
                    14_000))) {
                String value = "x".repeat(RECORD_BYTES);
                List<Future<RecordMetadata>> sent = new ArrayList<>();
                for (int i = 0; i < ROUNDS * PARTITIONS; i++) {
                    sent.add(producer.send(new ProducerRecord<>("full", i % PARTITIONS, null, value)));
                }
                for (Future<RecordMetadata> each : sent) {
                    stored += isStored(each) ? 1 : 0;
                }
            }
            assertThat(stored).as("some are stored and some refused").isBetween(1, ROUNDS * PARTITIONS - 1);
            assertThat(server.output()).doesNotContain("failed on the loop", "Exception");
            assertThat(readable(side)).isGreaterThanOrEqualTo(stored);
        }
    }

    private static boolean isStored(Future<RecordMetadata> sent) throws Exception {
        try {
            sent.get(60, TimeUnit.SECONDS);
            return true;
        } catch (ExecutionException e) {
            assertThat(e.getCause()).isInstanceOf(RetriableException.class);
            return false;
        }
    }

    private static int readable(KafkaSide side) {
        try (var consumer = side.consumer(Map.of())) {
            List<TopicPartition> all = new ArrayList<>();
            for (int partition = 0; partition < PARTITIONS; partition++) {
                all.add(new TopicPartition("full", partition));
            }
            return consumer.endOffsets(all).values().stream()
                    .mapToInt(Long::intValue)
                    .sum();
        }
    }
}
