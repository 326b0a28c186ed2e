package io.sluice.conformance;

import static io.sluice.conformance.clients.KafkaSide.send;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.conformance.clients.KafkaSide;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Consumers that ask for more than they take cost the server a bounded amount of memory, and their neighbours nothing. */
class SlowReadersTest {
    private static final int READERS = 60;
    private static final int PARTITIONS = 4;
    private static final int RECORDS = 320;
    private static final int RECORD_BYTES = 200_000;
    /** All that answers may take, and what the memory allocator keeps beside it; the readers ask for 900 MiB. */
    private static final long BOUND_BYTES = 160L << 20;

    @TempDir
    private Path folder;

    @Test
    void memoryIsBoundedAndOthersGoOn() throws Exception {
        try (SluiceServer server = SluiceServer.start(folder.resolve("data"), "", Map.of("SLUICE_MEMORY", "512m"))) {
            var kafka = new KafkaSide(server.kafka());
            kafka.create("wanted", PARTITIONS);
            kafka.create("neighbour", 1);
            fill(kafka);
            readOnce(kafka);
            long before = server.residentBytes();
            List<KafkaConsumer<String, String>> readers = new ArrayList<>();
            try {
                for (int r = 0; r < READERS; r++) {
                    KafkaConsumer<String, String> reader = reader(kafka);
                    readers.add(reader);
                    // Sends its fetches; what comes back stays in its socket, for it never polls again.
                    reader.poll(Duration.ZERO);
                    neighbour(kafka, r);
                }
                assertThat(server.residentBytes()).isLessThan(before + BOUND_BYTES);
            } finally {
                readers.forEach(
                        reader -> reader.close(org.apache.kafka.clients.consumer.CloseOptions.timeout(Duration.ZERO)));
            }
            neighbour(kafka, READERS);
        }
    }

    private static KafkaConsumer<String, String> reader(KafkaSide kafka) {
        KafkaConsumer<String, String> reader = kafka.consumer(Map.of(
                "fetch.max.bytes", 64 << 20, "max.partition.fetch.bytes", 16 << 20, "receive.buffer.bytes", 64 << 10));
        List<TopicPartition> all = partitions();
        reader.assign(all);
        all.forEach(partition -> reader.seek(partition, 0));
        // Until it knows the leaders it has nothing to ask.
        reader.partitionsFor("wanted");
        return reader;
    }

    private static List<TopicPartition> partitions() {
        List<TopicPartition> all = new ArrayList<>();
        for (int p = 0; p < PARTITIONS; p++) {
            all.add(new TopicPartition("wanted", p));
        }
        return all;
    }

    private static void fill(KafkaSide kafka) {
        String value = KafkaSide.filler(RECORD_BYTES);
        try (var producer = kafka.producer(Map.of())) {
            for (int n = 0; n < RECORDS; n++) {
                producer.send(new ProducerRecord<>("wanted", n % PARTITIONS, null, value));
            }
        }
    }

    /** So that what reading costs once is in the first measure. */
    private static void readOnce(KafkaSide kafka) {
        try (KafkaConsumer<String, String> reader = reader(kafka)) {
            assertThat(KafkaSide.poll(reader, RECORDS)).hasSize(RECORDS);
        }
    }

    private static void neighbour(KafkaSide kafka, int number) throws Exception {
        var partition = new TopicPartition("neighbour", 0);
        try (var producer = kafka.producer(Map.of());
                var consumer = kafka.consumer(Map.of())) {
            send(producer, partition, "n");
            consumer.assign(List.of(partition));
            consumer.seek(partition, number);
            assertThat(KafkaSide.poll(consumer, 1)).containsExactly(partition + "@" + number + "=n");
        }
    }
}
