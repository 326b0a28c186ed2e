package io.sluice.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The stock Java producer and consumer against the gateway. */
class StockClientsTest {
    private TestGateway server;

    @BeforeEach
    void start() throws Exception {
        server = new TestGateway();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static List<ConsumerRecord<byte[], byte[]>> read(KafkaConsumer<byte[], byte[]> consumer, int count) {
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (records.size() < count && System.nanoTime() < deadline) {
            consumer.poll(Duration.ofMillis(200)).forEach(records::add);
        }
        return records;
    }

    private static List<ConsumerRecord<byte[], byte[]>> readFromStart(
            KafkaConsumer<byte[], byte[]> consumer, TopicPartition partition, int count) {
        consumer.assign(List.of(partition));
        consumer.seekToBeginning(List.of(partition));
        return read(consumer, count);
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "gzip", "snappy", "lz4", "zstd"})
    void keepsKeysHeadersAndOrderInEveryCompression(String compression) throws Exception {
        TopicPartition partition = new TopicPartition("t-" + compression, 0);
        try (KafkaProducer<byte[], byte[]> producer =
                        server.producer(Map.of("compression.type", compression, "linger.ms", 5));
                KafkaConsumer<byte[], byte[]> consumer = server.consumer(Map.of())) {
            List<Future<RecordMetadata>> sent = new ArrayList<>();
            for (int i = 0; i < 2000; i++) {
                ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(
                        partition.topic(), 0, (long) 1_000_000 + i, bytes("k" + i), bytes("v" + i));
                record.headers().add("h", bytes("x" + i)).add("null", null);
                sent.add(producer.send(record));
            }
            producer.flush();
            for (int i = 0; i < sent.size(); i++) {
                assertThat(sent.get(i).get().offset()).isEqualTo(i);
            }
            List<ConsumerRecord<byte[], byte[]>> read = readFromStart(consumer, partition, 2000);
            assertThat(read).hasSize(2000);
            for (int i = 0; i < read.size(); i++) {
                ConsumerRecord<byte[], byte[]> record = read.get(i);
                assertThat(record.offset()).isEqualTo(i);
                assertThat(record.timestamp()).isEqualTo(1_000_000 + i);
                assertThat(record.key()).isEqualTo(bytes("k" + i));
                assertThat(record.value()).isEqualTo(bytes("v" + i));
                assertThat(record.headers().lastHeader("h").value()).isEqualTo(bytes("x" + i));
                assertThat(record.headers().lastHeader("null").value()).isNull();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 65_536, 1_000_000, 5_000_000})
    void takesRecordsOfAnySizeUpToTheLimit(int size) throws Exception {
        TopicPartition partition = new TopicPartition("sizes", 0);
        byte[] value = new byte[size];
        new Random(size).nextBytes(value);
        try (KafkaProducer<byte[], byte[]> producer = server.producer(Map.of());
                KafkaConsumer<byte[], byte[]> consumer = server.consumer(Map.of())) {
            for (int i = 0; i < 3; i++) {
                producer.send(new ProducerRecord<>("sizes", 0, null, value)).get();
            }
            List<ConsumerRecord<byte[], byte[]>> read = readFromStart(consumer, partition, 3);
            assertThat(read).hasSize(3).allSatisfy(r -> assertThat(r.value()).isEqualTo(value));
        }
    }

    @Test
    void refusesARecordOverTheLimit() {
        try (KafkaProducer<byte[], byte[]> producer = server.producer(Map.of())) {
            Future<RecordMetadata> sent = producer.send(new ProducerRecord<>("big", new byte[9_000_000]));
            assertThatThrownBy(sent::get)
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(RecordTooLargeException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "1", "all"})
    void everyAcksSettingStoresTheRecords(String acks) {
        TopicPartition partition = new TopicPartition("acks" + acks, 0);
        Map<String, Object> settings = Map.of("acks", acks, "enable.idempotence", false);
        try (KafkaProducer<byte[], byte[]> producer = server.producer(settings);
                KafkaConsumer<byte[], byte[]> consumer = server.consumer(Map.of())) {
            for (int i = 0; i < 500; i++) {
                producer.send(new ProducerRecord<>(partition.topic(), 0, null, bytes("v" + i)));
            }
            producer.flush();
            List<ConsumerRecord<byte[], byte[]>> read = readFromStart(consumer, partition, 500);
            assertThat(read).hasSize(500);
            assertThat(read.getLast().value()).isEqualTo(bytes("v499"));
        }
    }

    @Test
    void aTailReaderGetsRecordsOfManyPartitionsAsTheyAreWritten() throws Exception {
        server.broker.createTopic("many", 200);
        List<TopicPartition> partitions = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            partitions.add(new TopicPartition("many", i));
        }
        try (KafkaProducer<byte[], byte[]> producer = server.producer(Map.of());
                KafkaConsumer<byte[], byte[]> consumer = server.consumer(Map.of())) {
            consumer.assign(partitions);
            consumer.seekToEnd(partitions);
            // it looks for the ends when it is asked where it is, or some time after a poll
            partitions.forEach(consumer::position);
            assertThat(consumer.poll(Duration.ofMillis(300))).isEmpty();
            for (int round = 0; round < 5; round++) {
                for (int i = 0; i < 200; i++) {
                    producer.send(new ProducerRecord<>("many", i, null, bytes(round + "-" + i)));
                }
                producer.flush();
                List<ConsumerRecord<byte[], byte[]>> read = read(consumer, 200);
                assertThat(read).hasSize(200);
                int now = round;
                assertThat(read).allSatisfy(r -> assertThat(r.value()).isEqualTo(bytes(now + "-" + r.partition())));
            }
        }
    }

    @Test
    void honoursMinBytesAndMaxWait() throws Exception {
        TopicPartition partition = new TopicPartition("wait", 0);
        Map<String, Object> patient = Map.of("fetch.min.bytes", 10_000, "fetch.max.wait.ms", 700);
        try (KafkaProducer<byte[], byte[]> producer = server.producer(Map.of());
                KafkaConsumer<byte[], byte[]> consumer = server.consumer(patient)) {
            producer.send(new ProducerRecord<>("wait", 0, null, new byte[100])).get();
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            assertThat(consumer.position(partition)).isZero();
            long start = System.nanoTime();
            assertThat(read(consumer, 1)).hasSize(1);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(600));
        }
    }

    @Test
    void honoursTheSizeLimitsOfAFetch() throws Exception {
        Map<String, Object> small = Map.of("fetch.max.bytes", 50_000, "max.partition.fetch.bytes", 20_000);
        server.broker.createTopic("limits", 4);
        List<TopicPartition> partitions = new ArrayList<>();
        try (KafkaProducer<byte[], byte[]> producer = server.producer(Map.of("batch.size", 1));
                KafkaConsumer<byte[], byte[]> consumer = server.consumer(small)) {
            for (int p = 0; p < 4; p++) {
                partitions.add(new TopicPartition("limits", p));
                for (int i = 0; i < 100; i++) {
                    producer.send(new ProducerRecord<>("limits", p, null, new byte[1000]));
                }
            }
            producer.flush();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            assertThat(read(consumer, 400)).hasSize(400);
        }
    }

    @Test
    void findsOffsetsByTimeExactlyAlsoInsideCompressedBatches() throws Exception {
        TopicPartition partition = new TopicPartition("times", 0);
        Map<String, Object> settings = Map.of("compression.type", "lz4", "linger.ms", 50, "batch.size", 100_000);
        long base = System.currentTimeMillis() - 1_000_000;
        try (KafkaProducer<byte[], byte[]> producer = server.producer(settings);
                KafkaConsumer<byte[], byte[]> consumer = server.consumer(Map.of())) {
            for (int i = 0; i < 1000; i++) {
                producer.send(new ProducerRecord<>("times", 0, base + 10L * i, null, bytes("v" + i)));
            }
            producer.flush();
            for (int i : new int[] {0, 1, 499, 999}) {
                OffsetAndTimestamp exact = at(consumer, partition, base + 10L * i);
                assertThat(exact.offset()).isEqualTo(i);
                assertThat(exact.timestamp()).isEqualTo(base + 10L * i);
                OffsetAndTimestamp before = at(consumer, partition, base + 10L * i - 5);
                assertThat(before.offset()).isEqualTo(i);
            }
            assertThat(consumer.offsetsForTimes(Map.of(partition, base + 20_000))
                            .get(partition))
                    .isNull();
            assertThat(consumer.beginningOffsets(List.of(partition))).containsEntry(partition, 0L);
            assertThat(consumer.endOffsets(List.of(partition))).containsEntry(partition, 1000L);
        }
    }

    private static OffsetAndTimestamp at(KafkaConsumer<byte[], byte[]> consumer, TopicPartition partition, long time) {
        return Objects.requireNonNull(
                consumer.offsetsForTimes(Map.of(partition, time)).get(partition));
    }

    @Test
    void refusesTransactionsClearly() {
        Map<String, Object> settings = Map.of("transactional.id", "tx", "max.block.ms", 2000);
        try (KafkaProducer<byte[], byte[]> producer = server.producer(settings)) {
            assertThatThrownBy(producer::initTransactions).isNotNull();
        }
    }
}
