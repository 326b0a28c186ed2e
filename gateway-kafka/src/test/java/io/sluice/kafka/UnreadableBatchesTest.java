package io.sluice.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.broker.topic.TopicName;
import io.sluice.kafka.format.HandMadeBatch;
import io.sluice.kafka.format.HandMadeBatch.Fields;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Batches with a good checksum that would fail every consumer of the partition are refused; what is around them is read. */
class UnreadableBatchesTest {
    private static final short PRODUCE = 12;
    private static final byte[] VALUE = "value".getBytes();
    private static final TopicPartition T0 = new TopicPartition("t", 0);

    private TestGateway server;
    private RawClient client;

    @BeforeEach
    void start() throws Exception {
        server = new TestGateway();
        server.broker.createTopic("t", 1);
        client = new RawClient(server.port);
    }

    @AfterEach
    void stop() throws IOException {
        client.close();
        server.close();
    }

    private void send(String topic, ByteBuffer batch) throws IOException {
        ProduceRequestData request =
                new ProduceRequestData().setAcks((short) -1).setTimeoutMs(10_000);
        ProduceRequestData.TopicProduceData data = new ProduceRequestData.TopicProduceData().setName(topic);
        data.partitionData()
                .add(new ProduceRequestData.PartitionProduceData()
                        .setIndex(0)
                        .setRecords(MemoryRecords.readableRecords(batch)));
        request.topicData().add(data);
        client.send(ApiKeys.PRODUCE, PRODUCE, request);
    }

    private PartitionProduceResponse produced() throws IOException {
        ProduceResponseData answer = new ProduceResponseData(client.receive(ApiKeys.PRODUCE, PRODUCE), PRODUCE);
        return answer.responses().iterator().next().partitionResponses().getFirst();
    }

    private Errors produce(String topic, ByteBuffer batch) throws IOException {
        send(topic, batch);
        return Errors.forCode(produced().errorCode());
    }

    private List<ConsumerRecord<byte[], byte[]>> read(int count) {
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        try (KafkaConsumer<byte[], byte[]> consumer = server.consumer(Map.of())) {
            consumer.assign(List.of(T0));
            consumer.seekToBeginning(List.of(T0));
            await().pollDelay(Duration.ZERO).until(() -> {
                consumer.poll(Duration.ofMillis(100)).forEach(records::add);
                return records.size() >= count;
            });
        }
        return records;
    }

    private static Fields good(int offsetDelta) {
        return HandMadeBatch.fields(offsetDelta, 0, null, VALUE);
    }

    private static Stream<HandMadeBatch> unreadable() {
        return Stream.of(
                new HandMadeBatch().good(2, VALUE).count(3),
                new HandMadeBatch().good(2, VALUE).count(1),
                new HandMadeBatch().good(1, VALUE).raw(new byte[1]),
                new HandMadeBatch().raw(new byte[20]).count(2),
                new HandMadeBatch().record(good(1)),
                new HandMadeBatch().record(good(0)).record(good(2)),
                new HandMadeBatch()
                        .record(new Fields().octet(0).varint(0).varint(0).varint(100)),
                new HandMadeBatch().record(good(0).octet(0)));
    }

    @ParameterizedTest
    @EnumSource(CompressionType.class)
    void neverReachAConsumer(CompressionType type) throws Exception {
        assertThat(produce(
                        "t", new HandMadeBatch().good(1, VALUE).compress(type).build()))
                .isEqualTo(Errors.NONE);
        for (HandMadeBatch batch : unreadable().toList()) {
            ByteBuffer bytes = batch.compress(type).build();
            assertThat(produce("t", bytes)).isEqualTo(Errors.INVALID_RECORD);
        }
        assertThat(produce(
                        "t", new HandMadeBatch().good(1, VALUE).compress(type).build()))
                .isEqualTo(Errors.NONE);
        assertThat(read(2)).extracting(ConsumerRecord::offset).containsExactly(0L, 1L);
    }

    @ParameterizedTest
    @EnumSource(value = CompressionType.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void whatCannotBeDecompressedIsRefused(CompressionType type) throws Exception {
        byte[] garbage = new byte[200];
        new Random(1).nextBytes(garbage);
        assertThat(produce(
                        "t",
                        new HandMadeBatch().compressed(type, garbage).count(3).build()))
                .isEqualTo(Errors.INVALID_RECORD);
        byte[] packed = HandMadeBatch.compress(type, new byte[100_000]);
        byte[] cut = Arrays.copyOf(packed, packed.length / 2);
        assertThat(produce(
                        "t", new HandMadeBatch().compressed(type, cut).count(3).build()))
                .isEqualTo(Errors.INVALID_RECORD);
    }

    @Test
    void aTopicThatIsCompactedSaysWhichRecordsLackAKey() throws Exception {
        compacted();
        HandMadeBatch batch = new HandMadeBatch()
                .good(1, VALUE)
                .record(good(1))
                .good(1, VALUE)
                .record(good(3));
        send("compacted", batch.build());
        PartitionProduceResponse answer = produced();
        assertThat(answer.errorCode()).isEqualTo(Errors.INVALID_RECORD.code());
        assertThat(answer.recordErrors())
                .extracting(error -> error.batchIndex())
                .containsExactly(1, 3);
        assertThat(answer.recordErrors().getFirst().batchIndexErrorMessage()).contains("key");
        assertThat(produce("compacted", new HandMadeBatch().good(3, VALUE).build()))
                .isEqualTo(Errors.NONE);
    }

    /** Zeros become a thousandth with all but LZ4 and Snappy; nobody can want so many of them in a batch. */
    @ParameterizedTest
    @EnumSource(
            value = CompressionType.class,
            names = {"GZIP", "ZSTD"})
    void aBombIsRefusedAndKeepsNobodyWaiting(CompressionType type) throws Exception {
        send("t", zeros(type, 300 << 20));
        send("t", new HandMadeBatch().good(1, VALUE).build());
        try (RawClient other = new RawClient(server.port)) {
            short version = 9;
            other.call(ApiKeys.METADATA, version, new MetadataRequestData().setTopics(List.of()));
        }
        assertThat(produced().errorCode()).isEqualTo(Errors.INVALID_RECORD.code());
        assertThat(produced().baseOffset()).isZero();
    }

    @Test
    void whatIsWalkedElsewhereKeepsItsPlace() throws Exception {
        // Random, so that requests are large and arrive in pieces; two of each four are more than a loop decompresses.
        byte[] value = new byte[1_500_000];
        new Random(3).nextBytes(value);
        for (int i = 0; i < 20; i++) {
            boolean large = i % 4 < 2;
            send(
                    "t",
                    new HandMadeBatch()
                            .good(1, large ? value : VALUE)
                            .compress(large ? CompressionType.ZSTD : CompressionType.NONE)
                            .build());
        }
        for (int i = 0; i < 20; i++) {
            assertThat(produced().baseOffset()).isEqualTo(i);
        }
        assertThat(read(20)).extracting(record -> record.value().length).startsWith(1_500_000, 1_500_000, 5, 5);
    }

    @Test
    void aClientThatLeavesWhileItsBatchIsWalkedElsewhereCostsNothing() throws Exception {
        send("t", zeros(CompressionType.ZSTD, 200 << 20));
        send("t", new HandMadeBatch().good(1, VALUE).build());
        await().until(() -> server.registry
                        .get("sluice.kafka.requests")
                        .tag("api", "Produce")
                        .counter()
                        .count()
                > 0);
        client.close();
        await().until(() -> server.gateway.requestMemoryUsed() == 0);
        client = new RawClient(server.port);
        assertThat(produce("t", new HandMadeBatch().good(1, VALUE).build())).isEqualTo(Errors.NONE);
    }

    /** One good record with so many zeros. */
    private static ByteBuffer zeros(CompressionType type, int count) {
        byte[] head = new Fields()
                .octet(0)
                .varint(0)
                .varint(0)
                .varint(-1)
                .varint(count)
                .toArray();
        byte[] size = new Fields().varint(head.length + count + 1).toArray();
        byte[] record = Arrays.copyOf(size, size.length + head.length + count + 1);
        System.arraycopy(head, 0, record, size.length, head.length);
        return new HandMadeBatch()
                .compressed(type, HandMadeBatch.compress(type, record))
                .count(1)
                .build();
    }

    private void compacted() {
        server.broker
                .catalogue()
                .create(TopicName.ofDefault("compacted"), 1, true, false, Map.of("cleanup.policy", "compact"))
                .join();
    }

    @Test
    void aProducerTellsItsUserWhichRecordLacksAKey() throws Exception {
        compacted();
        try (KafkaProducer<byte[], byte[]> producer = server.producer(Map.of("linger.ms", 5_000))) {
            Future<RecordMetadata> keyed = producer.send(new ProducerRecord<>("compacted", new byte[1], VALUE));
            Future<RecordMetadata> bare = producer.send(new ProducerRecord<>("compacted", VALUE));
            producer.flush();
            assertThatThrownBy(bare::get)
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(InvalidRecordException.class)
                    .hasMessageContaining("key");
            assertThatThrownBy(keyed::get).hasCauseInstanceOf(KafkaException.class);
            assertThat(producer.send(new ProducerRecord<>("compacted", new byte[1], VALUE))
                            .get()
                            .offset())
                    .isZero();
        }
    }
}
