package io.sluice.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.EndMarker;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.entry.ProducerIds;
import io.sluice.broker.log.Answers;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.store.segment.Durable;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.apache.pulsar.common.api.proto.SingleMessageMetadata;
import org.apache.pulsar.common.protocol.Commands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What stock Kafka consumers get of what Pulsar clients wrote. */
class PulsarEntriesTest {
    private static final TopicPartition PARTITION = new TopicPartition("t", 0);
    private static final long TIME = 1_700_000_000_000L;

    private TestGateway server;
    private PartitionLog log;

    @BeforeEach
    void start() throws Exception {
        server = new TestGateway();
        server.broker.createTopic("t", 1);
        log = server.broker.partition("t", 0);
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static MessageMetadata metadata(long time) {
        return new MessageMetadata().setProducerName("p").setSequenceId(1).setPublishTime(time);
    }

    private void single(String value) {
        append(entry(metadata(TIME), bytes(value), 1, EntryHeader.NO_PRODUCER));
    }

    private void batch(long time, String... values) {
        ByteBuf content = Unpooled.buffer();
        for (String value : values) {
            Commands.serializeSingleMessageInBatchWithPayload(
                    new SingleMessageMetadata().setPartitionKey("k-" + value),
                    Unpooled.wrappedBuffer(bytes(value)),
                    content);
        }
        byte[] payload = new byte[content.readableBytes()];
        content.readBytes(payload);
        append(entry(
                metadata(time).setNumMessagesInBatch(values.length), payload, values.length, EntryHeader.NO_PRODUCER));
    }

    /** A chunk of a message of so many, each of {@code value} and its number. */
    private void chunk(String uuid, int chunk, int chunks, String value) {
        append(chunkEntry(uuid, chunk, chunks, value));
    }

    private static ByteBuf chunkEntry(String uuid, int chunk, int chunks, String value) {
        MessageMetadata metadata = metadata(TIME)
                .setUuid(uuid)
                .setChunkId(chunk)
                .setNumChunksFromMsg(chunks)
                .setTotalChunkMsgSize(chunks * (value.length() + 1))
                .setPartitionKey("k");
        return entry(metadata, bytes(value + chunk), 1, EntryHeader.NO_PRODUCER).setShort(21, 0);
    }

    private static ByteBuf entry(MessageMetadata metadata, byte[] payload, int offsets, long transaction) {
        boolean transactional = transaction != EntryHeader.NO_PRODUCER;
        ByteBuf b = Unpooled.buffer();
        b.writeLong(0).writeInt(0).writeInt(0);
        b.writeByte(transactional ? EntryFormat.PULSAR_TRANSACTIONAL : EntryFormat.PULSAR)
                .writeInt(0);
        b.writeShort(1).writeInt(offsets - 1);
        b.writeLong(metadata.getPublishTime()).writeLong(metadata.getPublishTime());
        b.writeLong(EntryHeader.NO_PRODUCER)
                .writeShort(0)
                .writeInt(0)
                .writeInt(offsets)
                .writeLong(1);
        if (transactional) {
            b.writeLong(transaction);
        }
        b.writeShort(Commands.magicCrc32c).writeInt(0).writeInt(metadata.getSerializedSize());
        metadata.writeTo(b);
        b.writeBytes(payload);
        return b.setInt(8, b.readableBytes() - EntryHeader.LENGTH_OVERHEAD);
    }

    private void append(ByteBuf... entries) {
        var answers = new Answers();
        server.broker.onLoop(log, () -> {
            for (ByteBuf entry : entries) {
                log.append(entry, entry == entries[entries.length - 1] ? answers : new Answers());
            }
            return true;
        });
        assertThat(answers.await()).startsWith("appended");
    }

    private void kafka(String value) throws Exception {
        try (KafkaProducer<byte[], byte[]> producer = server.producer(Map.of())) {
            producer.send(new ProducerRecord<>("t", 0, null, bytes(value))).get();
        }
    }

    private List<ConsumerRecord<byte[], byte[]>> read(Map<String, Object> settings, long from, long end) {
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        try (KafkaConsumer<byte[], byte[]> consumer = server.consumer(settings)) {
            consumer.assign(List.of(PARTITION));
            consumer.seek(PARTITION, from);
            await().until(() -> {
                consumer.poll(Duration.ofMillis(100)).forEach(records::add);
                return consumer.position(PARTITION) == end;
            });
        }
        return records;
    }

    @Test
    void messagesInChunksComeWholeAtTheirLastChunk() throws Exception {
        chunk("a", 0, 3, "a");
        chunk("b", 0, 2, "b");
        single("1");
        chunk("a", 1, 3, "a");
        kafka("2");
        chunk("a", 1, 3, "a"); // sent again
        chunk("b", 1, 2, "b");
        chunk("a", 2, 3, "a");
        chunk("lost", 1, 2, "its first chunk is not there");
        for (int i = 0; i < 100; i++) {
            single("n" + i);
        }
        chunk("far", 0, 2, "f");
        for (int i = 0; i < 300; i++) {
            kafka("m");
        }
        chunk("far", 1, 2, "f");
        long end = server.broker.onLoop(log, () -> log.readableEnd(Isolation.COMMITTED));
        List<ConsumerRecord<byte[], byte[]>> all = read(Map.of(), 0, end);
        assertThat(values(all).subList(0, 5)).containsExactly("1", "2", "b0b1", "a0a1a2", "n0");
        assertThat(all.get(3)).satisfies(a -> {
            assertThat(a.offset()).isEqualTo(7);
            assertThat(new String(a.key(), StandardCharsets.UTF_8)).isEqualTo("k");
            assertThat(a.timestamp()).isEqualTo(TIME);
            assertThat(a.headers().lastHeader("pulsar.raw")).isNull();
        });
        assertThat(values(all)).hasSize(4 + 100 + 300 + 1).endsWith("m", "f0f1");
        assertThat(values(read(Map.of(), 7, end)).getFirst()).isEqualTo("a0a1a2");
    }

    @Test
    void aMessageInChunksIsNotThereOnceRetentionHasTakenItsFirst() throws Exception {
        chunk("a", 0, 2, "a");
        single("1");
        chunk("a", 1, 2, "a");
        single("2");
        server.broker.onLoop(log, () -> {
            log.retention().deleteBefore(1, Durable.IGNORED);
            return true;
        });
        assertThat(values(read(Map.of(), 1, 4))).containsExactly("1", "2");
    }

    /** A search for each would read 30 MB, 2,000 times. */
    @Test
    void manyFalseLastChunksDoNotHoldAReader() {
        for (int i = 0; i < 60; i++) {
            single("x".repeat(1 << 19));
        }
        long first = server.broker.onLoop(log, () -> log.readableEnd(Isolation.COMMITTED));
        chunk("true", 0, 2, "t");
        append(IntStream.range(0, 2000)
                .mapToObj(n -> chunkEntry("false" + n, 1, 2, "f"))
                .toArray(ByteBuf[]::new));
        chunk("true", 1, 2, "t");
        long end = first + 2002;
        assertThat(values(read(Map.of(), first, end))).containsExactly("t0t1");
    }

    @Test
    void chunksOfATooLargeMessageComeAsTheyAre() {
        for (int chunk = 0; chunk < 2; chunk++) {
            MessageMetadata metadata = metadata(TIME)
                    .setUuid("large")
                    .setChunkId(chunk)
                    .setNumChunksFromMsg(2)
                    .setTotalChunkMsgSize(Integer.MAX_VALUE);
            append(entry(metadata, bytes("c" + chunk), 1, EntryHeader.NO_PRODUCER)
                    .setShort(21, 0));
        }
        List<ConsumerRecord<byte[], byte[]>> all = read(Map.of(), 0, 2);
        assertThat(values(all)).containsExactly("c0", "c1");
        assertThat(all)
                .allSatisfy(each -> assertThat(new String(
                                each.headers().lastHeader("pulsar.raw").value(), StandardCharsets.UTF_8))
                        .startsWith("why=chunk&uuid=large"));
    }

    private static List<String> values(List<ConsumerRecord<byte[], byte[]>> records) {
        return records.stream()
                .map(each -> new String(each.value(), StandardCharsets.UTF_8))
                .toList();
    }

    @Test
    void aMixedPartitionIsReadInOrder() throws Exception {
        kafka("a");
        single("b");
        batch(TIME, "c", "d", "e");
        kafka("f");
        single("g");

        List<ConsumerRecord<byte[], byte[]>> records = read(Map.of(), 0, 7);

        assertThat(values(records)).containsExactly("a", "b", "c", "d", "e", "f", "g");
        assertThat(records).extracting(ConsumerRecord::offset).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L);
        assertThat(new String(records.get(3).key(), StandardCharsets.UTF_8)).isEqualTo("k-d");
        assertThat(records.get(3).timestamp()).isEqualTo(TIME);
        assertThat(values(read(Map.of(), 3, 7)))
                .as("from the middle of a batch")
                .containsExactly("d", "e", "f", "g");
    }

    @Test
    void anEntryThatDoesNotReadIsOneRecordWithAMarkAndTheOthersFollow() throws Exception {
        single("a");
        append(entry(metadata(TIME).setNumMessagesInBatch(3), bytes("garbage"), 3, EntryHeader.NO_PRODUCER));
        kafka("b");

        List<ConsumerRecord<byte[], byte[]>> records = read(Map.of(), 0, 5);

        assertThat(values(records)).containsExactly("a", "garbage", "b");
        assertThat(new String(records.get(1).headers().lastHeader("pulsar.raw").value(), StandardCharsets.UTF_8))
                .startsWith("why=unreadable");
    }

    @Test
    void transactionsOfPulsarAreCommittedAndAborted() throws Exception {
        long kept = begin(1);
        long dropped = begin(2);
        transactional(kept, "a");
        transactional(dropped, "b");
        single("c");
        end(dropped, false);
        transactional(kept, "d");
        end(kept, true);
        long open = begin(3);
        transactional(open, "e");

        assertThat(values(read(Map.of("isolation.level", "read_committed"), 0, 6)))
                .containsExactly("a", "c", "d");
        assertThat(values(read(Map.of("isolation.level", "read_uncommitted"), 0, 7)))
                .containsExactly("a", "b", "c", "d", "e");
    }

    private long begin(long number) {
        long id = ProducerIds.single(number);
        server.broker.onLoop(
                log, () -> log.transactions().verified(log.transactions().verify(id, ProducerIds.SINGLE_EPOCH)));
        return id;
    }

    private void transactional(long transaction, String value) {
        append(entry(metadata(TIME), bytes(value), 1, transaction));
    }

    private void end(long transaction, boolean commit) {
        append(EndMarker.entry(PooledByteBufAllocator.DEFAULT, transaction, ProducerIds.SINGLE_EPOCH, 1, commit, TIME));
    }

    @Test
    void aFetchGivesNoMoreBytesThanItIsAskedFor() throws Exception {
        for (int i = 0; i < 50; i++) {
            single("x".repeat(1000));
        }
        try (RawClient client = new RawClient(server.port)) {
            int before = 0;
            for (int most : new int[] {1, 5_000, 20_000}) {
                FetchRequestData request = new FetchRequestData()
                        .setMaxWaitMs(100)
                        .setMinBytes(1)
                        .setMaxBytes(1 << 20)
                        .setSessionEpoch(-1)
                        .setTopics(List.of(new FetchTopic()
                                .setTopic("t")
                                .setPartitions(List.of(new FetchPartition().setPartitionMaxBytes(most)))));
                FetchResponseData answer =
                        new FetchResponseData(client.call(ApiKeys.FETCH, (short) 12, request), (short) 12);
                PartitionData data = answer.responses().getFirst().partitions().getFirst();
                int bytes = data.records().sizeInBytes();
                assertThat(bytes).isGreaterThan(before).isLessThanOrEqualTo(Math.max(most, 1_500));
                before = bytes;
            }
        }
    }

    @Test
    void offsetsAreFoundByThePublishTime() throws Exception {
        batch(TIME, "a", "b");
        batch(TIME + 1000, "c", "d");
        kafka("e");
        try (KafkaConsumer<byte[], byte[]> consumer = server.consumer(Map.of())) {
            assertThat(offsetAt(consumer, TIME)).isZero();
            assertThat(offsetAt(consumer, TIME + 1)).isEqualTo(2);
            assertThat(offsetAt(consumer, TIME + 1001)).isEqualTo(4);
        }
    }

    private static long offsetAt(KafkaConsumer<byte[], byte[]> consumer, long time) {
        return Objects.requireNonNull(
                        consumer.offsetsForTimes(Map.of(PARTITION, time)).get(PARTITION))
                .offset();
    }
}
