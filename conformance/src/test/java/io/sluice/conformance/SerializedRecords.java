package io.sluice.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.conformance.clients.PulsarClients;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.client.api.schema.GenericRecord;

/** Java's Pulsar client reads what Confluent's serializers wrote, and writes with a schema what Java's Kafka client reads with its id. */
final class SerializedRecords {
    private static final int SECONDS = 60;

    private SerializedRecords() {}

    /** What an application has. */
    public static class Reading {
        public long n;
    }

    private static <T> List<T> values(
            PulsarClient client, String topic, String subscription, Schema<T> schema, int count) throws Exception {
        List<T> values = new ArrayList<>();
        try (Consumer<T> consumer = client.newConsumer(schema)
                .topic(topic)
                .subscriptionName(subscription)
                .subscriptionType(SubscriptionType.Key_Shared)
                .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                .subscribe()) {
            while (values.size() < count) {
                Message<T> message = consumer.receive(SECONDS, TimeUnit.SECONDS);
                assertThat(message)
                        .as("%d of %d of %s arrived", values.size(), count, topic)
                        .isNotNull();
                values.add(message.getValue());
                consumer.acknowledge(message);
            }
        }
        return values;
    }

    /** By the schemas that came with them. */
    static void read(SluiceServer server, String avro, String json, String protobuf) throws Exception {
        try (PulsarClient client = PulsarClients.builder(server.pulsar()).build()) {
            List<GenericRecord> records = values(client, avro, "generic", Schema.AUTO_CONSUME(), 5);
            for (int n = 0; n < records.size(); n++) {
                assertThat(records.get(n).getField("n")).isEqualTo((long) n);
                boolean isLater = records.get(n).getFields().size() > 1;
                assertThat(isLater ? records.get(n).getField("text") : "none").isEqualTo(n < 3 ? "none" : "t" + n);
            }
            assertThat(values(client, avro, "by class", Schema.AVRO(Reading.class), 5))
                    .extracting(each -> each.n)
                    .containsExactly(0L, 1L, 2L, 3L, 4L);
            assertThat(values(client, protobuf, "generic", Schema.AUTO_CONSUME(), 3))
                    .extracting(each -> each.getField("n"))
                    .containsExactly(7L, 8L, 9L);
            assertThat(values(client, json, "bytes", Schema.BYTES, 2))
                    .extracting(each -> new String(each, UTF_8))
                    .allSatisfy(each -> assertThat(each).startsWith("{\"n\""));
        }
    }

    /** Writes a message to a topic with {@code sluice.wire.format=both}, and finds its schema by the id before its value. */
    static void write(SluiceServer server, String topic) throws Exception {
        try (PulsarClient client = PulsarClients.builder(server.pulsar()).build();
                Producer<Reading> producer = client.newProducer(Schema.AVRO(Reading.class))
                        .topic(topic)
                        .create()) {
            Reading seven = new Reading();
            seven.n = 7;
            producer.newMessage().key("k").value(seven).send();
        }
        ByteBuffer value = ByteBuffer.wrap(first(server, topic));
        assertThat(value.get()).isZero();
        SluiceServer.Answer schema = server.ask("GET", "/schemas/ids/" + value.getInt(), "");
        assertThat(schema.status()).as(schema.body()).isEqualTo(200);
        assertThat(schema.body()).contains("Reading");
        assertThat(value.remaining()).as("7, as Avro has it").isEqualTo(1);
        assertThat(value.get()).isEqualTo((byte) 14);
    }

    private static byte[] first(SluiceServer server, String topic) {
        List<byte[]> values = new ArrayList<>();
        Map<String, Object> settings = Map.of("bootstrap.servers", server.kafka(), "auto.offset.reset", "earliest");
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(List.of(new TopicPartition(topic, 0)));
            await().atMost(Duration.ofSeconds(SECONDS)).until(() -> {
                consumer.poll(Duration.ofMillis(100)).forEach(each -> values.add(each.value()));
                return !values.isEmpty();
            });
        }
        return values.getFirst();
    }
}
