package io.sluice.pulsar;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.sluice.broker.log.Answers;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Reader;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.client.api.schema.GenericRecord;
import org.apache.pulsar.client.api.transaction.Transaction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What Pulsar's Java client gets of records in the wire format of Confluent's serializers. */
class ConfluentRecordsTest extends RegistryTest {
    private static final String NUMBER = "{\"name\":\"n\",\"type\":\"long\"}";
    private static final String TEXT = "{\"name\":\"text\",\"type\":\"string\",\"default\":\"none\"}";
    private static final String FIRST = "{\"type\":\"record\",\"name\":\"Reading\",\"fields\":[" + NUMBER + "]}";
    private static final String LATER =
            "{\"type\":\"record\",\"name\":\"Reading\",\"fields\":[" + NUMBER + "," + TEXT + "]}";

    /** Stands for null. */
    private static final byte[] TOMBSTONE = {};

    private PartitionLog log;

    /** What an application has. */
    public static class Reading {
        public long n;
        public @Nullable String text;
    }

    @BeforeEach
    void makeTopic() throws Exception {
        gateway.broker().createTopic(TopicName.ofDefault("t"), 1, false);
        log = gateway.broker().partition("t", 0);
    }

    private void write(byte[]... values) {
        SimpleRecord[] records = Arrays.stream(values)
                .map(each -> new SimpleRecord(1_700_000_000_000L, "k".getBytes(UTF_8), each == TOMBSTONE ? null : each))
                .toArray(SimpleRecord[]::new);
        var answers = new Answers();
        gateway.broker().onLoop(log, () -> {
            log.append(
                    Unpooled.copiedBuffer(
                            MemoryRecords.withRecords(Compression.NONE, records).buffer()),
                    answers);
            return true;
        });
        assertThat(answers.await()).startsWith("appended");
    }

    private static byte[] value(int id, byte[] content) throws IOException {
        var out = new ByteArrayOutputStream();
        var data = new DataOutputStream(out);
        data.writeByte(0);
        data.writeInt(id);
        data.write(content);
        return out.toByteArray();
    }

    private static byte[] reading(int id, String schema, long n, @Nullable String text) throws IOException {
        var of = new org.apache.avro.Schema.Parser().parse(schema);
        var record = new GenericData.Record(of);
        record.put("n", n);
        if (text != null) {
            record.put("text", text);
        }
        var out = new ByteArrayOutputStream();
        BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(out, null);
        new GenericDatumWriter<GenericData.Record>(of).write(record, encoder);
        encoder.flush();
        return value(id, out.toByteArray());
    }

    private <T> Consumer<T> consumer(Schema<T> schema, SubscriptionType type) throws Exception {
        return client.newConsumer(schema)
                .topic("t")
                .subscriptionName("s-" + type)
                .subscriptionType(type)
                .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                .subscribe();
    }

    private static <T> Message<T> take(Consumer<T> consumer) throws Exception {
        Message<T> message = consumer.receive((int) SOON, TimeUnit.SECONDS);
        assertThat(message).isNotNull();
        consumer.acknowledge(message);
        return message;
    }

    @ParameterizedTest
    @EnumSource(SubscriptionType.class)
    void theTopicsSchemaReadsThem(SubscriptionType type) throws Exception {
        int first = register("t-value", FIRST);
        int later = register("t-value", LATER);
        write(reading(first, FIRST, 1, null), reading(first, FIRST, 2, null));
        write(reading(first, FIRST, 3, null), TOMBSTONE, reading(later, LATER, 4, "four"));
        try (Consumer<GenericRecord> consumer = consumer(Schema.AUTO_CONSUME(), type)) {
            for (long n = 1; n <= 3; n++) {
                Message<GenericRecord> message = take(consumer);
                assertThat(message.getValue().getField("n")).isEqualTo(n);
                assertThat(message.getValue().getFields())
                        .as("of its own schema")
                        .hasSize(1);
                assertThat(message.getProperty("kafka.schema")).isEqualTo("" + first);
            }
            assertThat(take(consumer).getValue()).isNull();
            GenericRecord four = take(consumer).getValue();
            assertThat(four.getField("n")).isEqualTo(4L);
            assertThat(four.getField("text")).isEqualTo("four");
        }
    }

    @Test
    void aClassReadsWhatWasWrittenWithAnEarlierSchema() throws Exception {
        int first = register("t-value", FIRST);
        int later = register("t-value", LATER);
        write(reading(first, FIRST, 1, null), reading(later, LATER, 2, "two"));
        try (Consumer<Reading> consumer = consumer(Schema.AVRO(Reading.class), SubscriptionType.Shared)) {
            assertThat(take(consumer).getValue()).satisfies(each -> {
                assertThat(each.n).isEqualTo(1);
                assertThat(each.text).isNull();
            });
            assertThat(take(consumer).getValue().text).isEqualTo("two");
        }
    }

    @Test
    void aSchemaThatIsRegisteredAfterAnOlderOneWasReadIsKnownAtOnce() throws Exception {
        int first = register("t-value", FIRST);
        write(reading(first, FIRST, 0, null));
        try (Consumer<GenericRecord> consumer = consumer(Schema.AUTO_CONSUME(), SubscriptionType.Exclusive)) {
            assertThat(take(consumer).getValue().getField("n")).isEqualTo(0L);
            int later = register("t-value", LATER);
            write(reading(later, LATER, 1, "one"));
            assertThat(take(consumer).getValue().getField("text")).isEqualTo("one");
        }
    }

    /** Read as bytes before its schema was registered, as the record it is afterwards. */
    @Test
    void whatWasKeptWithoutASchemaIsMadeAgain() throws Exception {
        write(reading(1, FIRST, 7, null));
        assertThat(contents(1)).containsExactly("00000000010e");
        assertThat(register("t-value", FIRST)).isEqualTo(1);
        assertThat(contents(1)).containsExactly("0e");
        gateway.broker()
                .catalogue()
                .configure(TopicName.ofDefault("t"), Map.of(Topic.WIRE_FORMAT, Topic.WIRE_FORMAT_KEEP))
                .get(SOON, TimeUnit.SECONDS);
        assertThat(contents(1)).containsExactly("00000000010e");
    }

    private List<String> contents(int count) throws Exception {
        try (Reader<byte[]> reader =
                client.newReader().topic("t").startMessageId(MessageId.earliest).create()) {
            String[] contents = new String[count];
            for (int i = 0; i < count; i++) {
                Message<byte[]> message = reader.readNext((int) SOON, TimeUnit.SECONDS);
                assertThat(message).isNotNull();
                contents[i] = HexFormat.of().formatHex(message.getData());
            }
            assertThat(reader.hasMessageAvailable()).isFalse();
            return List.of(contents);
        }
    }

    @Test
    void jsonIsReadAsBytes() throws Exception {
        int id = registerBody("t-value", body("JSON", "{\"type\":\"object\"}"));
        write(value(id, "{\"n\":1}".getBytes(UTF_8)), "plain".getBytes(UTF_8));
        try (Reader<byte[]> reader =
                client.newReader().topic("t").startMessageId(MessageId.earliest).create()) {
            assertThat(new String(reader.readNext((int) SOON, TimeUnit.SECONDS).getData(), UTF_8))
                    .isEqualTo("{\"n\":1}");
            assertThat(new String(reader.readNext((int) SOON, TimeUnit.SECONDS).getData(), UTF_8))
                    .isEqualTo("plain");
        }
    }

    @Test
    void aReaderComesToTheEndOfABatchOfSeveralSchemas() throws Exception {
        int first = register("t-value", FIRST);
        int later = register("t-value", LATER);
        write(reading(first, FIRST, 1, null), reading(later, LATER, 2, "two"), reading(first, FIRST, 3, null));
        assertThat(contents(3)).containsExactly("02", "040674776f", "06");
    }

    /** The consumer acknowledges what a consumer before it was given: the server does not remember in which form. */
    @ParameterizedTest
    @EnumSource(Acknowledged.class)
    void theFirstMessageOfABatchOfSeveralSchemasIsAcknowledgedAlone(Acknowledged how) throws Exception {
        int first = register("t-value", FIRST);
        int later = register("t-value", LATER);
        write(reading(first, FIRST, 1, null), reading(later, LATER, 2, "two"), reading(first, FIRST, 3, null));
        write(reading(first, FIRST, 4, null), reading(first, FIRST, 5, null));
        acknowledgeFirst(how);
        try (Consumer<GenericRecord> consumer = consumer(Schema.AUTO_CONSUME(), SubscriptionType.Exclusive)) {
            for (long n = 2; n <= 5; n++) {
                assertThat(take(consumer).getValue().getField("n")).isEqualTo(n);
            }
        }
    }

    /** Ways to acknowledge one message. */
    private enum Acknowledged {
        ALONE,
        UP_TO,
        IN_TRANSACTION
    }

    private void acknowledgeFirst(Acknowledged how) throws Exception {
        MessageId id;
        try (Consumer<byte[]> consumer = consumer(Schema.BYTES, SubscriptionType.Exclusive)) {
            Message<byte[]> message = consumer.receive((int) SOON, TimeUnit.SECONDS);
            assertThat(message).isNotNull();
            id = message.getMessageId();
        }
        try (PulsarClient transactional = PulsarClients.builder("pulsar://127.0.0.1:" + gateway.port())
                        .enableTransaction(true)
                        .build();
                Consumer<byte[]> paused = transactional
                        .newConsumer()
                        .topic("t")
                        .subscriptionName("s-" + SubscriptionType.Exclusive)
                        .startPaused(true)
                        .isAckReceiptEnabled(true)
                        .subscribe()) {
            switch (how) {
                case ALONE -> paused.acknowledge(id);
                case UP_TO -> paused.acknowledgeCumulative(id);
                case IN_TRANSACTION -> {
                    Transaction transaction =
                            transactional.newTransaction().build().get(SOON, TimeUnit.SECONDS);
                    paused.acknowledgeAsync(id, transaction).get(SOON, TimeUnit.SECONDS);
                    transaction.commit().get(SOON, TimeUnit.SECONDS);
                }
            }
        }
    }
}
