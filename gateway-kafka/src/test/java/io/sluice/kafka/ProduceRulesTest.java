package io.sluice.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.AppendRejection;
import io.sluice.broker.log.AppendReply;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What Produce and Fetch answer in each case, told by hand-made requests. */
class ProduceRulesTest {
    private static final short BY_NAME = 12;
    private static final short BY_ID = 13;

    private TestGateway server;
    private RawClient client;

    @BeforeEach
    void start() throws Exception {
        server = new TestGateway();
        server.broker.createTopic("t", 2);
        client = new RawClient(server.port);
    }

    @AfterEach
    void stop() throws Exception {
        client.close();
        server.close();
    }

    private static MemoryRecords batch(long producerId, int epoch, int sequence) {
        SimpleRecord[] records = {new SimpleRecord(1, new byte[10]), new SimpleRecord(2, new byte[10])};
        return MemoryRecords.withIdempotentRecords(Compression.NONE, producerId, (short) epoch, sequence, records);
    }

    private static ProduceRequestData request(String topic, Uuid id, int partition, MemoryRecords records) {
        ProduceRequestData request =
                new ProduceRequestData().setAcks((short) -1).setTimeoutMs(10_000);
        TopicProduceData data = new TopicProduceData().setName(topic).setTopicId(id);
        data.partitionData().add(new PartitionProduceData().setIndex(partition).setRecords(records));
        request.topicData().add(data);
        return request;
    }

    private PartitionProduceResponse produce(ProduceRequestData request, short version) throws Exception {
        ProduceResponseData answer = new ProduceResponseData(client.call(ApiKeys.PRODUCE, version, request), version);
        return answer.responses().iterator().next().partitionResponses().getFirst();
    }

    private PartitionProduceResponse produce(MemoryRecords records) throws Exception {
        return produce(request("t", Uuid.ZERO_UUID, 0, records), BY_NAME);
    }

    @Test
    void answersADuplicateAsTheSuccessItWas() throws Exception {
        assertThat(produce(batch(7, 0, 0)).baseOffset()).isZero();
        assertThat(produce(batch(7, 0, 2)).baseOffset()).isEqualTo(2);
        PartitionProduceResponse again = produce(batch(7, 0, 0));
        assertThat(again.errorCode()).isZero();
        assertThat(again.baseOffset()).isZero();
        assertThat(produce(batch(7, 0, 4)).baseOffset()).isEqualTo(4);
    }

    @Test
    void aRepeatedBatchHasTheTimeOfItsFirstAppend() throws Exception {
        server.broker
                .catalogue()
                .create(TopicName.ofDefault("timed"), 1, true, false, Map.of("message.timestamp.type", "LogAppendTime"))
                .join();
        PartitionLog log = server.broker.partition("timed", 0);
        PartitionProduceResponse first = produce(request("timed", Uuid.ZERO_UUID, 0, batch(7, 0, 0)), BY_NAME);
        assertThat(first.logAppendTimeMs()).isPositive();
        await().until(() -> System.currentTimeMillis() > first.logAppendTimeMs());
        PartitionProduceResponse next = produce(request("timed", Uuid.ZERO_UUID, 0, batch(7, 0, 2)), BY_NAME);
        assertThat(next.logAppendTimeMs()).isGreaterThan(first.logAppendTimeMs());
        for (boolean evicted : new boolean[] {false, true}) {
            if (evicted) {
                server.broker.onLoop(log, () -> {
                    server.broker.containers().get(log.container().id()).evict(log.partitionId(), log.sizeBytes());
                    return null;
                });
            }
            PartitionProduceResponse again = produce(request("timed", Uuid.ZERO_UUID, 0, batch(7, 0, 0)), BY_NAME);
            assertThat(again.errorCode()).isZero();
            assertThat(again.baseOffset()).isZero();
            assertThat(again.logAppendTimeMs()).isEqualTo(first.logAppendTimeMs());
        }
        server.broker.onLoop(log, () -> {
            log.retention().deleteBefore(4, Durable.IGNORED);
            return null;
        });
        PartitionProduceResponse gone = produce(request("timed", Uuid.ZERO_UUID, 0, batch(7, 0, 0)), BY_NAME);
        assertThat(gone.baseOffset()).isZero();
        assertThat(gone.logAppendTimeMs()).isEqualTo(-1);
    }

    @Test
    void refusesGapsAndOldEpochs() throws Exception {
        produce(batch(7, 1, 0));
        assertThat(produce(batch(7, 1, 9)).errorCode()).isEqualTo(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER.code());
        assertThat(produce(batch(7, 0, 2)).errorCode()).isEqualTo(Errors.INVALID_PRODUCER_EPOCH.code());
    }

    @ParameterizedTest
    @ValueSource(shorts = {3, 5, 7, 8, 9, 12})
    void speaksEveryVersionByName(short version) throws Exception {
        assertThat(produce(request("t", Uuid.ZERO_UUID, 1, batch(7, 0, 0)), version)
                        .errorCode())
                .isZero();
    }

    @Test
    void findsTopicsByIdAndSaysWhatItDoesNotKnow() throws Exception {
        Topic known = Objects.requireNonNull(server.broker.catalogue().find(TopicName.ofDefault("t")));
        Uuid id = new Uuid(known.id().getMostSignificantBits(), known.id().getLeastSignificantBits());
        assertThat(produce(request("", id, 0, batch(7, 0, 0)), BY_ID).errorCode())
                .isZero();
        assertThat(produce(request("", Uuid.randomUuid(), 0, batch(7, 0, 0)), BY_ID)
                        .errorCode())
                .isEqualTo(Errors.UNKNOWN_TOPIC_ID.code());
        assertThat(produce(request("none", Uuid.ZERO_UUID, 0, batch(7, 0, 0)), BY_NAME)
                        .errorCode())
                .isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
        assertThat(produce(request("t", Uuid.ZERO_UUID, 2, batch(7, 0, 0)), BY_NAME)
                        .errorCode())
                .isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
    }

    /** With the id of a transaction the coordinator is asked; without, nobody can be. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void refusesBatchesOfATransactionThatNobodyBegan(boolean named) throws Exception {
        MemoryRecords records = MemoryRecords.withTransactionalRecords(
                Compression.NONE, 7, (short) 0, 0, new SimpleRecord(1, new byte[10]));
        ProduceRequestData request = request("t", Uuid.ZERO_UUID, 0, records).setTransactionalId(named ? "tx" : null);
        assertThat(Errors.forCode(produce(request, BY_NAME).errorCode()))
                .isEqualTo(named ? Errors.INVALID_TXN_STATE : Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED);
        assertThat(produce(batch(7, 0, 0)).baseOffset()).isZero();
    }

    @Test
    void anUnservedPartitionIsSomebodyElses() throws Exception {
        PartitionLog log = server.broker.partition("t", 0);
        server.broker.containers().stop(log.container().id());
        assertThat(produce(batch(7, 0, 0)).errorCode()).isEqualTo(Errors.NOT_LEADER_OR_FOLLOWER.code());
        assertThat(fetch(0).errorCode()).isEqualTo(Errors.NOT_LEADER_OR_FOLLOWER.code());
    }

    private FetchResponseData.PartitionData fetch(long offset) throws Exception {
        FetchRequestData request = new FetchRequestData()
                .setMaxWaitMs(100)
                .setMinBytes(1)
                .setSessionEpoch(-1)
                .setTopics(List.of(new FetchRequestData.FetchTopic()
                        .setTopic("t")
                        .setPartitions(List.of(new FetchRequestData.FetchPartition()
                                .setFetchOffset(offset)
                                .setPartitionMaxBytes(100_000)))));
        FetchResponseData answer = new FetchResponseData(client.call(ApiKeys.FETCH, (short) 12, request), (short) 12);
        return answer.responses().getFirst().partitions().getFirst();
    }

    @Test
    void anOffsetOutsideTheLogIsSaidToBe() throws Exception {
        produce(batch(7, 0, 0));
        assertThat(fetch(2).errorCode()).isZero();
        assertThat(fetch(3).errorCode()).isEqualTo(Errors.OFFSET_OUT_OF_RANGE.code());
        assertThat(fetch(-5).errorCode()).isEqualTo(Errors.OFFSET_OUT_OF_RANGE.code());
    }

    @Test
    void aPulsarEntryIsConvertedWhereItBegins() throws Exception {
        produce(batch(7, 0, 0));
        appendPulsarEntry(server.broker.partition("t", 0));
        FetchResponseData.PartitionData before = fetch(0);
        assertThat(before.errorCode()).isZero();
        assertThat(before.records().sizeInBytes()).isPositive();
        FetchResponseData.PartitionData there = fetch(2);
        assertThat(there.errorCode()).isZero();
        assertThat(there.records().sizeInBytes()).isPositive();
    }

    private void appendPulsarEntry(PartitionLog log) throws Exception {
        ByteBuf entry = Unpooled.buffer().writeZero(EntryHeader.SIZE + 20);
        entry.setInt(8, entry.readableBytes() - EntryHeader.LENGTH_OVERHEAD);
        entry.setByte(16, EntryFormat.PULSAR);
        entry.setLong(43, EntryHeader.NO_PRODUCER);
        entry.setInt(57, 1);
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        server.broker.onLoop(log, () -> {
            log.append(entry, new AppendReply() {
                @Override
                public void appended(long baseOffset, long lastOffset) {
                    done.complete(true);
                }

                @Override
                public void duplicate(long baseOffset, long lastOffset) {
                    done.complete(false);
                }

                @Override
                public void rejected(AppendRejection why) {
                    done.completeExceptionally(new AssertionError(why));
                }

                @Override
                public void failed(StoreFailure why) {
                    done.completeExceptionally(new AssertionError(why));
                }
            });
            return null;
        });
        assertThat(done.get(30, TimeUnit.SECONDS)).isTrue();
    }
}
