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
            // The first round finds room, however slow the machine is; nobody waits for the last ones.
            try (var patient = producer(side, 60_000, 120_000);
                    var impatient = producer(side, 4_000, 14_000)) {
                stored += stored(send(patient, 1));
                stored += stored(send(impatient, ROUNDS - 1));
            }
            assertThat(stored).as("some are stored and some refused").isBetween(1, ROUNDS * PARTITIONS - 1);
            assertThat(server.output()).doesNotContain("failed on the loop", "Exception");
            assertThat(readable(side)).isGreaterThanOrEqualTo(stored);
        }
    }

    /** Its records fail after {@code deliveryMillis}, its requests after {@code requestMillis}. */
    private static KafkaProducer<String, String> producer(KafkaSide side, int requestMillis, int deliveryMillis) {
        return side.producer(Map.of(
                "linger.ms",
                1_000,
                "batch.size",
                RECORD_BYTES + 1_000,
                "max.request.size",
                64 << 20,
                "buffer.memory",
                (long) ROUNDS * PARTITIONS * (RECORD_BYTES + 1_000),
                "request.timeout.ms",
                requestMillis,
                "delivery.timeout.ms",
                deliveryMillis));
    }

    private static List<Future<RecordMetadata>> send(KafkaProducer<String, String> producer, int rounds) {
        String value = "x".repeat(RECORD_BYTES);
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        for (int i = 0; i < rounds * PARTITIONS; i++) {
            sent.add(producer.send(new ProducerRecord<>("full", i % PARTITIONS, null, value)));
        }
        return sent;
    }

    private static int stored(List<Future<RecordMetadata>> sent) throws Exception {
        int stored = 0;
        for (Future<RecordMetadata> each : sent) {
            try {
                each.get(150, TimeUnit.SECONDS);
                stored++;
            } catch (ExecutionException e) {
                assertThat(e.getCause()).isInstanceOf(RetriableException.class);
            }
        }
        return stored;
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
