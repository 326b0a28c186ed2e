package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.conformance.MixedTopic.Header;
import io.sluice.conformance.MixedTopic.KafkaView;
import io.sluice.conformance.MixedTopic.PulsarView;
import io.sluice.conformance.clients.PulsarClients;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.pulsar.client.api.CompressionType;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionType;
import org.jspecify.annotations.Nullable;

/** Java's clients of both protocols on one topic. */
final class JavaOfBoth {
    private static final int SECONDS = 60;

    private JavaOfBoth() {}

    static void write(SluiceServer server, String topic, MixedTopic contents) throws Exception {
        Map<String, Object> settings =
                Map.of("bootstrap.servers", server.kafka(), "compression.type", "gzip", "linger.ms", 100);
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            List<Future<?>> receipts = new ArrayList<>();
            for (KafkaView each : contents.kafka()) {
                var record = new ProducerRecord<>(topic, bytes(each.key()), bytes(each.value()));
                each.headers().forEach(header -> record.headers().add(header.name(), bytes(header.value())));
                receipts.add(producer.send(record));
            }
            for (Future<?> receipt : receipts) {
                receipt.get(SECONDS, TimeUnit.SECONDS);
            }
        }
        try (PulsarClient client = PulsarClients.builder(server.pulsar()).build();
                Producer<byte[]> producer = client.newProducer()
                        .topic(topic)
                        .compressionType(CompressionType.SNAPPY)
                        .enableBatching(false)
                        .create()) {
            List<CompletableFuture<?>> receipts = new ArrayList<>();
            for (PulsarView each : contents.pulsar()) {
                var message = producer.newMessage().value(bytes(each.value())).properties(each.properties());
                receipts.add((each.key() == null ? message : message.key(each.key())).sendAsync());
            }
            CompletableFuture.allOf(receipts.toArray(CompletableFuture[]::new)).get(SECONDS, TimeUnit.SECONDS);
        }
    }

    static List<KafkaView> readKafka(SluiceServer server, String topic, int count) {
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        Map<String, Object> settings = Map.of(
                "bootstrap.servers",
                server.kafka(),
                "auto.offset.reset",
                "earliest",
                "isolation.level",
                "read_committed");
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(List.of(new TopicPartition(topic, 0)));
            await().until(() -> {
                consumer.poll(Duration.ofMillis(100)).forEach(records::add);
                return records.size() >= count;
            });
        }
        return records.stream().map(JavaOfBoth::view).toList();
    }

    private static KafkaView view(ConsumerRecord<byte[], byte[]> record) {
        List<Header> headers = new ArrayList<>();
        record.headers().forEach(header -> headers.add(new Header(header.key(), base64(header.value()))));
        return new KafkaView(base64(record.key()), base64(record.value()), headers);
    }

    static List<PulsarView> readPulsar(SluiceServer server, String topic, String run, int count) throws Exception {
        List<PulsarView> read = new ArrayList<>();
        try (PulsarClient client = PulsarClients.builder(server.pulsar()).build();
                Consumer<byte[]> consumer = client.newConsumer(Schema.BYTES)
                        .topic(topic)
                        .subscriptionName("java-" + run)
                        .subscriptionType(SubscriptionType.Failover)
                        .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                        .subscribe()) {
            while (read.size() < count) {
                Message<byte[]> message = consumer.receive(SECONDS, TimeUnit.SECONDS);
                assertThat(message).as("%d of %d arrived", read.size(), count).isNotNull();
                read.add(new PulsarView(
                        message.hasKey() ? message.getKey() : null,
                        base64(message.getValue()),
                        Map.copyOf(message.getProperties())));
                consumer.acknowledge(message);
            }
        }
        return read;
    }

    private static @Nullable String base64(byte @Nullable [] bytes) {
        return bytes == null ? null : MixedTopic.base64(bytes);
    }

    private static byte @Nullable [] bytes(@Nullable String base64) {
        return base64 == null ? null : Base64.getDecoder().decode(base64);
    }
}
