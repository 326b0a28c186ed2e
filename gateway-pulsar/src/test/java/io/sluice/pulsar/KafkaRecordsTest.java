package io.sluice.pulsar;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.EndMarker;
import io.sluice.broker.log.Answers;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.topic.TopicName;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.Reader;
import org.apache.pulsar.client.api.SubscriptionType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What Pulsar's Java client gets of what Kafka clients wrote. */
class KafkaRecordsTest extends ClientTest {
    private static final long TIME = 1_700_000_000_000L;

    private PartitionLog log;

    @BeforeEach
    void makeTopic() throws Exception {
        gateway.broker().createTopic(TopicName.ofDefault("t"), 1, false);
        log = gateway.broker().partition("t", 0);
    }

    private void append(ByteBuf entry) {
        var answers = new Answers();
        gateway.broker().onLoop(log, () -> {
            log.append(entry, answers);
            return true;
        });
        assertThat(answers.await()).startsWith("appended");
    }

    private static SimpleRecord record(int value, Header... headers) {
        return new SimpleRecord(TIME + value, ("k" + value % 3).getBytes(UTF_8), bytes(value), headers);
    }

    private void kafka(int from, int to) {
        SimpleRecord[] records = new SimpleRecord[to - from];
        for (int i = from; i < to; i++) {
            records[i - from] = record(i);
        }
        append(Unpooled.copiedBuffer(
                MemoryRecords.withRecords(Compression.lz4().build(), records).buffer()));
    }

    private static List<Integer> receive(Consumer<byte[]> consumer, int count, boolean ack) throws Exception {
        List<Integer> values = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Message<byte[]> message = consumer.receive((int) SOON, TimeUnit.SECONDS);
            assertThat(message).as("message %d", i).isNotNull();
            values.add(value(message));
            if (ack) {
                consumer.acknowledge(message);
            }
        }
        return values;
    }

    /** All that there is was acknowledged. */
    private void awaitAcknowledged() {
        await().atMost(Duration.ofSeconds(SOON)).untilAsserted(() -> {
            Cursor cursor = Objects.requireNonNull(log.subscriptions().find("s"));
            assertThat(gateway.broker().onLoop(log, cursor::ackedBelow))
                    .isEqualTo(gateway.broker().onLoop(log, () -> log.readableEnd(Isolation.COMMITTED)));
        });
    }

    @ParameterizedTest
    @EnumSource(SubscriptionType.class)
    void aMixedPartitionIsReadInOrderAndOnce(SubscriptionType type) throws Exception {
        kafka(0, 3);
        try (Producer<byte[]> producer = single("t")) {
            send(producer, 3);
        }
        kafka(4, 7);
        try (Consumer<byte[]> consumer = subscribe("t").subscriptionType(type).subscribe()) {
            assertThat(receive(consumer, 7, true)).containsExactly(0, 1, 2, 3, 4, 5, 6);
        }
        kafka(7, 9);
        try (Consumer<byte[]> consumer = subscribe("t").subscriptionType(type).subscribe()) {
            assertThat(receive(consumer, 2, true)).containsExactly(7, 8);
            expectNothing(consumer);
        }
    }

    @Test
    void aRecordHasItsKeyHeadersAndTime() throws Exception {
        Header[] headers = {new RecordHeader("text", "t".getBytes(UTF_8)), new RecordHeader("binary", new byte[] {-1})};
        append(Unpooled.copiedBuffer(
                MemoryRecords.withRecords(Compression.NONE, record(5, headers)).buffer()));
        try (Consumer<byte[]> consumer = subscribe("t").subscribe()) {
            Message<byte[]> message = consumer.receive((int) SOON, TimeUnit.SECONDS);
            assertThat(message.getKey()).isEqualTo("k2");
            assertThat(message.getEventTime()).isEqualTo(TIME + 5);
            assertThat(message.getProperties())
                    .containsEntry("text", "t")
                    .containsEntry("kafka.headers", "text&binary=_w");
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = SubscriptionType.class,
            names = {"Shared", "Key_Shared"})
    void singleMessagesOfABatchAreAcknowledgedAndGivenBack(SubscriptionType type) throws Exception {
        kafka(0, 6);
        try (Consumer<byte[]> consumer = subscribe("t")
                .subscriptionType(type)
                .enableBatchIndexAcknowledgment(true)
                .acknowledgmentGroupTime(0, TimeUnit.SECONDS)
                .negativeAckRedeliveryDelay(0, TimeUnit.SECONDS)
                .subscribe()) {
            List<Message<byte[]>> messages = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                messages.add(consumer.receive((int) SOON, TimeUnit.SECONDS));
            }
            for (Message<byte[]> each : messages) {
                if (value(each) % 2 == 0) {
                    consumer.acknowledge(each);
                }
            }
            messages.stream().filter(each -> value(each) % 2 == 1).forEach(consumer::negativeAcknowledge);
            Set<Integer> again = new HashSet<>();
            while (again.size() < 3) {
                again.addAll(receive(consumer, 1, true));
            }
            assertThat(again).containsExactlyInAnyOrder(1, 3, 5);
            awaitAcknowledged();
        }
        kafka(6, 7);
        try (Consumer<byte[]> consumer = subscribe("t").subscriptionType(type).subscribe()) {
            assertThat(receive(consumer, 1, true)).containsExactly(6);
        }
    }

    @Test
    void aPartOfABatchIsAcknowledgedWithAllBeforeIt() throws Exception {
        kafka(0, 6);
        try (Consumer<byte[]> consumer =
                subscribe("t").enableBatchIndexAcknowledgment(true).subscribe()) {
            expect(consumer, 0, 1);
            consumer.acknowledgeCumulative(next(consumer));
        }
        try (Consumer<byte[]> consumer =
                subscribe("t").enableBatchIndexAcknowledgment(true).subscribe()) {
            expect(consumer, 3, 4);
            consumer.acknowledgeCumulative(next(consumer));
            awaitAcknowledged();
        }
    }

    /** Records with these values at these offsets of a batch that had {@code offsets}. */
    private void thinned(int offsets, int... values) {
        try (MemoryRecordsBuilder builder = MemoryRecords.builder(
                ByteBuffer.allocate(1024),
                RecordBatch.MAGIC_VALUE_V2,
                Compression.NONE,
                TimestampType.CREATE_TIME,
                values[0] - values[0] % offsets)) {
            for (int value : values) {
                builder.appendWithOffset(value, record(value));
            }
            ByteBuf batch = Unpooled.copiedBuffer(builder.build().buffer());
            append(batch.setInt(23, offsets - 1));
        }
    }

    /** As a compacted topic of Kafka has them: who waited for what is gone would stand still. */
    @ParameterizedTest
    @EnumSource(SubscriptionType.class)
    void whatWasCompactedAwayIsNotWaitedFor(SubscriptionType type) throws Exception {
        thinned(5, 0, 2);
        thinned(5, 6, 8);
        kafka(10, 12);
        try (Consumer<byte[]> consumer = subscribe("t").subscriptionType(type).subscribe()) {
            assertThat(receive(consumer, 6, true)).containsExactly(0, 2, 6, 8, 10, 11);
            awaitAcknowledged();
        }
    }

    @Test
    void aReaderKnowsTheLastMessageOfAThinnedBatch() throws Exception {
        thinned(5, 1, 4);
        List<Integer> values = new ArrayList<>();
        try (Reader<byte[]> reader =
                client.newReader().topic("t").startMessageId(MessageId.earliest).create()) {
            while (reader.hasMessageAvailable()) {
                values.add(value(reader.readNext((int) SOON, TimeUnit.SECONDS)));
            }
        }
        assertThat(values).containsExactly(1, 4);
    }

    /** One message, though it has more offsets than the consumer has permits. */
    @ParameterizedTest
    @EnumSource(SubscriptionType.class)
    void aBatchThatDoesNotReadIsOneMessage(SubscriptionType type) throws Exception {
        for (int i = 0; i < 2; i++) {
            ByteBuf batch = Unpooled.copiedBuffer(
                    MemoryRecords.withRecords(Compression.NONE, record(i)).buffer());
            append(batch.setInt(23, 1_499).setInt(57, 1_500));
        }
        kafka(2, 3);
        try (Consumer<byte[]> consumer =
                subscribe("t").subscriptionType(type).receiverQueueSize(10).subscribe()) {
            for (int i = 0; i < 2; i++) {
                Message<byte[]> message = next(consumer);
                assertThat(message.getProperties()).containsKey("kafka.unreadable");
                consumer.acknowledge(message);
            }
            assertThat(receive(consumer, 1, true)).containsExactly(2);
            awaitAcknowledged();
        }
    }

    /** A reader that is told of more than that one message waits for ever. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aReaderKnowsThatABatchThatDoesNotReadIsTheLastMessage(boolean compacted) throws Exception {
        kafka(0, 2);
        append(Unpooled.copiedBuffer(
                        MemoryRecords.withRecords(Compression.NONE, record(2)).buffer())
                .setInt(23, 9)
                .setInt(57, 10));
        int read = 0;
        try (Reader<byte[]> reader = client.newReader()
                .topic("t")
                .startMessageId(MessageId.earliest)
                .readCompacted(compacted)
                .create()) {
            while (reader.hasMessageAvailable()) {
                assertThat(reader.readNext((int) SOON, TimeUnit.SECONDS))
                        .as("message %d", read)
                        .isNotNull();
                read++;
            }
        }
        assertThat(read).isEqualTo(3);
    }

    @Test
    void aKeyGoesToOneConsumer() throws Exception {
        Map<String, String> ownerOf = new HashMap<>();
        try (Consumer<byte[]> one = subscribe("t")
                        .consumerName("one")
                        .subscriptionType(SubscriptionType.Key_Shared)
                        .subscribe();
                Consumer<byte[]> two = subscribe("t")
                        .consumerName("two")
                        .subscriptionType(SubscriptionType.Key_Shared)
                        .subscribe()) {
            for (int from = 0; from < 30; from += 10) {
                SimpleRecord[] records = new SimpleRecord[10];
                for (int i = 0; i < 10; i++) {
                    records[i] = new SimpleRecord(TIME, ("key" + i).getBytes(UTF_8), bytes(from + i));
                }
                append(Unpooled.copiedBuffer(
                        MemoryRecords.withRecords(Compression.NONE, records).buffer()));
            }
            int received = 0;
            while (received < 30) {
                for (Consumer<byte[]> each : List.of(one, two)) {
                    Message<byte[]> message = each.receive(100, TimeUnit.MILLISECONDS);
                    if (message != null) {
                        received++;
                        each.acknowledge(message);
                        assertThat(ownerOf.merge(message.getKey(), each.getConsumerName(), (before, _) -> before))
                                .isEqualTo(each.getConsumerName());
                    }
                }
            }
            assertThat(ownerOf.values()).as("both have some").contains(one.getConsumerName(), two.getConsumerName());
        }
    }

    @Test
    void whatATransactionAbortedIsNotDelivered() throws Exception {
        begin(7);
        transactional(7, 0, 1);
        append(EndMarker.entry(PooledByteBufAllocator.DEFAULT, 7, (short) 0, 1, false, 1));
        begin(8);
        transactional(8, 0, 2);
        append(EndMarker.entry(PooledByteBufAllocator.DEFAULT, 8, (short) 0, 1, true, 1));
        kafka(3, 4);
        try (Consumer<byte[]> consumer = subscribe("t").subscribe()) {
            assertThat(receive(consumer, 2, true)).containsExactly(2, 3);
        }
    }

    /** A Kafka producer has one id for all its transactions. */
    @Test
    void aTransactionBehindAnAbortedOneOfTheSameProducerIsDelivered() throws Exception {
        begin(7);
        transactional(7, 0, 1);
        append(EndMarker.entry(PooledByteBufAllocator.DEFAULT, 7, (short) 0, 1, false, 1));
        begin(7);
        transactional(7, 1, 2);
        append(EndMarker.entry(PooledByteBufAllocator.DEFAULT, 7, (short) 0, 1, true, 1));
        try (Consumer<byte[]> consumer = subscribe("t").subscribe()) {
            assertThat(receive(consumer, 1, true)).containsExactly(2);
            awaitAcknowledged();
        }
    }

    private void begin(long producer) {
        gateway.broker()
                .onLoop(
                        log,
                        () -> log.transactions().verified(log.transactions().verify(producer, (short) 0)));
    }

    private void transactional(long producer, int sequence, int value) {
        MemoryRecords records =
                MemoryRecords.withTransactionalRecords(Compression.NONE, producer, (short) 0, sequence, record(value));
        append(Unpooled.copiedBuffer(records.buffer()));
    }

    @Test
    void aReaderSeeksIntoABatch() throws Exception {
        kafka(0, 5);
        try (Reader<byte[]> reader =
                client.newReader().topic("t").startMessageId(MessageId.earliest).create()) {
            List<MessageId> ids = new ArrayList<>();
            while (reader.hasMessageAvailable()) {
                Message<byte[]> message = reader.readNext((int) SOON, TimeUnit.SECONDS);
                ids.add(message.getMessageId());
            }
            assertThat(ids).hasSize(5);
            reader.seek(ids.get(2));
            assertThat(value(reader.readNext((int) SOON, TimeUnit.SECONDS))).isEqualTo(3);
        }
    }
}
