package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.conformance.clients.KafkaSide;
import io.sluice.conformance.clients.PulsarClients;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Reader;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SizeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Long-term storage goes away under a running server and comes back: writes go on until the log is full, then wait or are
 * refused in a way that clients try again; nobody is disconnected, what is cached can be read, and when it is back
 * everything goes on by itself. {@code -Dsluice.outage.seconds} makes the outage longer than it needs to be.
 */
class TierOutageTest {
    private static final int RECORD_BYTES = 20_000;
    private static final String FILLER = "x".repeat(RECORD_BYTES);
    private static final Duration OUTAGE = Duration.ofSeconds(Integer.getInteger("sluice.outage.seconds", 12));
    /** Kafka's client closes the connection that it began with, and has not used since, after so long. */
    private static final Duration CLIENT_IDLE = Duration.ofMinutes(9);

    private static final TopicPartition KAFKA = new TopicPartition("kafka-side", 0);
    private static final String PULSAR = "pulsar-side";

    @TempDir
    private Path folder;

    private final AtomicLong kafkaAcknowledged = new AtomicLong();
    private final AtomicLong pulsarAcknowledged = new AtomicLong();

    @Test
    void writesWaitReadsGoOnAndRecoveryNeedsNoHand() throws Exception {
        try (SluiceServer server = SluiceServer.start(
                        folder.resolve("data"),
                        "store: {containers: 1, walLimitBytes: 33554432, ledgerBytes: 2097152}",
                        Map.of("SLUICE_MEMORY", "512m"));
                KafkaProducer<String, String> kafka = new KafkaSide(server.kafka())
                        .producer(Map.of("delivery.timeout.ms", 900_000, "linger.ms", 2, "buffer.memory", 256 << 20));
                PulsarClient pulsar = PulsarClients.builder(server.pulsar())
                        .memoryLimit(0, SizeUnit.BYTES)
                        .build();
                Producer<String> producer = pulsar.newProducer(Schema.STRING)
                        .topic(PULSAR)
                        .sendTimeout(0, TimeUnit.SECONDS)
                        .maxPendingMessages(10_000)
                        .create()) {
            List<CompletableFuture<?>> sends = new ArrayList<>();
            send(kafka, producer, sends, 1_000);
            all(sends);

            server.loseTier();
            try {
                whileItIsAway(server, kafka, producer, sends);
            } finally {
                server.returnTier();
            }
            all(sends);
            assertThat(producer.getLastDisconnectedTimestamp()).isZero();
            assertThat(closedConnections(kafka)).isLessThanOrEqualTo(OUTAGE.compareTo(CLIENT_IDLE) < 0 ? 0 : 1);
            assertEverythingIsThereOnceAndInOrder(server, 3_000);
        }
    }

    private void whileItIsAway(
            SluiceServer server,
            KafkaProducer<String, String> kafka,
            Producer<String> producer,
            List<CompletableFuture<?>> sends)
            throws Exception {
        send(kafka, producer, sends, 2_000);
        Acknowledged full = awaitPushBack(server);
        assertThat(full.kafka + full.pulsar).isGreaterThan(2_000);
        // how much of it the tier lacked when it went away is a matter of chance
        assertThat(server.total("sluice_container_untiered_bytes")).isGreaterThan(8_000_000);
        assertThat(sends).anyMatch(each -> !each.isDone());
        assertTailCanBeRead(server, full);
        await().pollDelay(OUTAGE).atMost(OUTAGE.plusSeconds(30)).until(() -> refusals(server) > 0);
        assertThat(sends).noneMatch(CompletableFuture::isCompletedExceptionally);
    }

    private record Acknowledged(long kafka, long pulsar) {}

    private void send(
            KafkaProducer<String, String> kafka, Producer<String> pulsar, List<CompletableFuture<?>> sends, int count) {
        int from = sends.size() / 2;
        for (int i = from; i < from + count; i++) {
            var done = new CompletableFuture<Void>();
            kafka.send(
                    new ProducerRecord<>(KAFKA.topic(), KAFKA.partition(), null, i + FILLER), (metadata, failure) -> {
                        if (failure == null) {
                            kafkaAcknowledged.incrementAndGet();
                            done.complete(null);
                        } else {
                            done.completeExceptionally(failure);
                        }
                    });
            sends.add(done);
            sends.add(pulsar.sendAsync(i + FILLER).thenRun(pulsarAcknowledged::incrementAndGet));
        }
    }

    private Acknowledged awaitPushBack(SluiceServer server) {
        await().atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofSeconds(1))
                .until(() -> server.total("sluice_container_append_delay_seconds") > 1);
        return new Acknowledged(kafkaAcknowledged.get(), pulsarAcknowledged.get());
    }

    private static void all(List<CompletableFuture<?>> sends) throws Exception {
        CompletableFuture.allOf(sends.toArray(CompletableFuture[]::new)).get(120, TimeUnit.SECONDS);
    }

    private static void assertTailCanBeRead(SluiceServer server, Acknowledged at) throws Exception {
        try (KafkaConsumer<String, String> consumer = new KafkaSide(server.kafka()).consumer(Map.of())) {
            consumer.assign(List.of(KAFKA));
            consumer.seek(KAFKA, at.kafka - 100);
            assertThat(KafkaSide.poll(consumer, 100)).hasSizeGreaterThanOrEqualTo(100);
        }
    }

    private static void assertEverythingIsThereOnceAndInOrder(SluiceServer server, int count) throws Exception {
        try (KafkaConsumer<String, String> consumer = new KafkaSide(server.kafka()).consumer(Map.of())) {
            consumer.assign(List.of(KAFKA));
            consumer.seekToBeginning(List.of(KAFKA));
            List<String> records = KafkaSide.poll(consumer, count);
            for (int i = 0; i < count; i++) {
                assertThat(records.get(i).equals(KAFKA + "@" + i + "=" + i + FILLER))
                        .as("Kafka record %s", i)
                        .isTrue();
            }
        }
        try (PulsarClient client = PulsarClients.builder(server.pulsar()).build();
                Reader<String> reader = client.newReader(Schema.STRING)
                        .topic(PULSAR)
                        .startMessageId(MessageId.earliest)
                        .create()) {
            for (int i = 0; i < count; i++) {
                Message<String> message = reader.readNext(60, TimeUnit.SECONDS);
                assertThat(message != null && message.getValue().equals(i + FILLER))
                        .as("Pulsar message %s", i)
                        .isTrue();
            }
        }
    }

    private static double closedConnections(KafkaProducer<String, String> kafka) {
        return kafka.metrics().entrySet().stream()
                .filter(each -> each.getKey().name().equals("connection-close-total")
                        && each.getKey().group().equals("producer-metrics"))
                .mapToDouble(each -> (double) each.getValue().metricValue())
                .sum();
    }

    private static double refusals(SluiceServer server) throws Exception {
        return server.total("sluice_container_append_refusals_total");
    }
}
