package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.conformance.clients.PulsarClients;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the disk gives back otherwise than it was written is never served: the clients get an error, or the start is refused. */
class DamageTest {
    private static final String SETTINGS = "store: {containers: 1, ledgerBytes: 1048576, walLimitBytes: 8388608}";
    private static final int RECORDS = 160;
    private static final int RECORD_BYTES = 100_000;
    private static final List<String> TOPICS = List.of("damage-0", "damage-1");

    @TempDir
    private Path folder;

    @Test
    void damageInTheTierIsAnErrorOfTheProtocolAndOthersReadOn() throws Exception {
        try (SluiceServer server = SluiceServer.start(folder.resolve("data"), SETTINGS, Map.of())) {
            for (String topic : TOPICS) {
                produceKafka(server, topic + "-kafka");
            }
            for (String topic : TOPICS) {
                producePulsar(server, topic + "-pulsar");
            }
            // a file may go while its folder is walked through
            await().atMost(Duration.ofSeconds(30))
                    .ignoreException(UncheckedIOException.class)
                    .until(() -> objects().size() >= 6);
            server.stop();
            // so far back that the log has it no more
            flipInTier(record(TOPICS.getFirst() + "-kafka", RECORDS / 4));
            flipInTier(record(TOPICS.getFirst() + "-pulsar", RECORDS / 4));
            server.start();
            int damaged = 0;
            for (String topic : TOPICS) {
                damaged += kafkaIsWholeOrRefused(server, topic + "-kafka") ? 0 : 1;
            }
            assertThat(damaged).isEqualTo(1);
            for (String topic : TOPICS) {
                damaged += pulsarIsWholeOrRefused(server, topic + "-pulsar") ? 0 : 1;
            }
            assertThat(damaged).isEqualTo(2);
            assertThat(server.output()).contains("fails its checksum");
            server.stop();
            assertThat(server.run("verify-data").output()).contains("2 findings", "byte ", "checksum");
        }
    }

    @Test
    void damageInTheLogRefusesTheStartInOneLine() throws Exception {
        try (SluiceServer server = SluiceServer.start(folder.resolve("data"), SETTINGS, Map.of())) {
            try (var producer = producer(server)) {
                for (int n = 0; n < 5; n++) {
                    producer.send(new ProducerRecord<>("log-damage", 0, null, record("log-damage", n)))
                            .get(30, TimeUnit.SECONDS);
                }
            }
            server.kill();
            Path journal;
            try (Stream<Path> files = Files.list(server.folder().resolve("bookie/journal/current"))) {
                journal = files.filter(file -> file.toString().endsWith(".txn"))
                        .max(Path::compareTo)
                        .orElseThrow();
            }
            byte[] content = Files.readAllBytes(journal);
            int last = content.length - 1;
            while (content[last] == 0) {
                last--;
            }
            flip(journal, last - 2 * RECORD_BYTES);
            String before = server.output();
            server.startToItsEnd("");
            assertThat(server.awaitEnd(Duration.ofSeconds(60))).isEqualTo(OptionalInt.of(1));
            await().until(() -> server.output().contains("is damaged at byte"));
            String line = server.output().substring(before.length()).strip();
            assertThat(line).hasLineCount(1).startsWith("sluice: the journal file " + journal + " is damaged at byte ");
            assertThat(server.run("verify-data").output()).contains(journal + ", byte ", "finding");
            flip(journal, last - 2 * RECORD_BYTES);
            server.start();
            assertThat(kafkaIsWholeOrRefused(server, "log-damage", 5)).isTrue();
        }
    }

    private static void flip(Path file, int at) throws IOException {
        byte[] content = Files.readAllBytes(file);
        content[at] ^= 16;
        Files.write(file, content);
    }

    /** Rising as they were written. */
    private List<Path> objects() throws IOException {
        try (Stream<Path> files = Files.walk(folder.resolve("data/tier"))) {
            return files.filter(file -> file.getFileName().toString().matches("[0-9a-f]{16}"))
                    .sorted()
                    .toList();
        }
    }

    /** In the object that has the record. */
    private void flipInTier(byte[] record) throws IOException {
        // where an object's blocks meet, a checksum stands between their bytes
        for (int from = 1_000; from < record.length - 1_000; from += 1_000) {
            byte[] part = Arrays.copyOfRange(record, from, from + 100);
            for (Path object : objects()) {
                int at = indexOf(Files.readAllBytes(object), part);
                if (at >= 0) {
                    flip(object, at);
                    return;
                }
            }
        }
        throw new AssertionError("no object has the record");
    }

    private static int indexOf(byte[] bytes, byte[] part) {
        for (int at = 0; at <= bytes.length - part.length; at++) {
            if (bytes[at] == part[0] && Arrays.equals(bytes, at, at + part.length, part, 0, part.length)) {
                return at;
            }
        }
        return -1;
    }

    private static byte[] record(String topic, int number) {
        byte[] record = new byte[RECORD_BYTES];
        new Random(31L * topic.hashCode() + number).nextBytes(record);
        ByteBuffer.wrap(record).putInt(number);
        return record;
    }

    private static KafkaProducer<byte[], byte[]> producer(SluiceServer server) {
        return new KafkaProducer<>(
                Map.of("bootstrap.servers", server.kafka()), new ByteArraySerializer(), new ByteArraySerializer());
    }

    private static void produceKafka(SluiceServer server, String topic) throws Exception {
        try (var producer = producer(server)) {
            List<Future<?>> sent = new ArrayList<>();
            for (int n = 0; n < RECORDS; n++) {
                sent.add(producer.send(new ProducerRecord<>(topic, 0, null, record(topic, n))));
            }
            for (Future<?> each : sent) {
                each.get(60, TimeUnit.SECONDS);
            }
        }
    }

    private static void producePulsar(SluiceServer server, String topic) throws Exception {
        try (PulsarClient client = PulsarClients.builder(server.pulsar()).build();
                Producer<byte[]> producer =
                        client.newProducer().topic(topic).blockIfQueueFull(true).create()) {
            for (int n = 0; n < RECORDS; n++) {
                producer.sendAsync(record(topic, n));
            }
            producer.flush();
        }
    }

    private static boolean kafkaIsWholeOrRefused(SluiceServer server, String topic) {
        return kafkaIsWholeOrRefused(server, topic, RECORDS);
    }

    /** Whether all came; else what came is what was written, and then the client was told. */
    private static boolean kafkaIsWholeOrRefused(SluiceServer server, String topic, int records) {
        int next = 0;
        TopicPartition partition = new TopicPartition(topic, 0);
        try (var consumer = new KafkaConsumer<>(
                Map.<String, Object>of("bootstrap.servers", server.kafka()),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
            while (next < records && System.nanoTime() < deadline) {
                for (ConsumerRecord<byte[], byte[]> each : consumer.poll(Duration.ofMillis(500))) {
                    assertThat(each.value()).isEqualTo(record(topic, next++));
                }
            }
        } catch (KafkaException told) {
            assertThat(told).hasMessageContaining("orrupt");
            return false;
        }
        assertThat(next).as("records of %s", topic).isEqualTo(records);
        return true;
    }

    private static boolean pulsarIsWholeOrRefused(SluiceServer server, String topic) throws Exception {
        try (PulsarClient client = PulsarClients.builder(server.pulsar())
                .operationTimeout(6, TimeUnit.SECONDS)
                .build()) {
            int next = 0;
            long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
            try (Consumer<byte[]> consumer = subscribe(client, topic)) {
                while (next < RECORDS) {
                    Message<byte[]> message = consumer.receive(5, TimeUnit.SECONDS);
                    if (message != null) {
                        assertThat(message.getValue()).isEqualTo(record(topic, next++));
                        consumer.acknowledge(message);
                    } else if (!consumer.isConnected()) {
                        break; // refused, not slow
                    } else {
                        assertThat(System.nanoTime())
                                .as("messages of %s", topic)
                                .isLessThan(deadline);
                    }
                }
            }
            if (next < RECORDS) {
                assertThatThrownBy(() -> subscribe(client, topic))
                        .isInstanceOf(PulsarClientException.class)
                        .hasMessageContaining("fails its checksum");
            }
            return next == RECORDS;
        }
    }

    private static Consumer<byte[]> subscribe(PulsarClient client, String topic) throws PulsarClientException {
        return client.newConsumer()
                .topic(topic)
                .subscriptionName("s")
                .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                .subscribe();
    }
}
