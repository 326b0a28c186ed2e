package io.sluice.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.quota.QuotaEntity;
import io.sluice.broker.quota.QuotaKey;
import io.sluice.broker.quota.QuotaName;
import io.sluice.store.segment.InMemoryContainer;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.DeleteRecordsRequestData;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeConfigsResponseData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.requests.ListOffsetsRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests that a client sends before it has read the answers to those before them: each sees what those did. */
class PipelineTest {
    private static final short PRODUCE = 12;
    private static final short FETCH = 12;
    private static final short LIST_OFFSETS = 7;
    private static final short DELETE_RECORDS = 2;
    private static final short CREATE_TOPICS = 7;
    private static final short DELETE_TOPICS = 5;
    private static final short METADATA = 9;
    private static final short ALTER_CONFIGS = 2;
    private static final short DESCRIBE_CONFIGS = 4;

    /** A hundred percent. */
    private static final long ALL = TimeUnit.SECONDS.toNanos(1);

    private TestGateway server;
    private RawClient client;
    private PartitionLog log;

    @BeforeEach
    void start() throws Exception {
        server = new TestGateway();
        server.broker.createTopic("t", 1);
        log = server.broker.partition("t", 0);
        client = new RawClient(server.port);
    }

    @AfterEach
    void stop() throws IOException {
        client.close();
        server.close();
    }

    private InMemoryContainer container() {
        return server.broker.containers().get(log.container().id());
    }

    private void produce(String topic) throws IOException {
        produce(topic, (short) -1);
    }

    private void produce(String topic, short acks) throws IOException {
        MemoryRecords records = MemoryRecords.withRecords(Compression.NONE, new SimpleRecord(1, new byte[100]));
        ProduceRequestData request = new ProduceRequestData().setAcks(acks).setTimeoutMs(10_000);
        ProduceRequestData.TopicProduceData data = new ProduceRequestData.TopicProduceData().setName(topic);
        data.partitionData()
                .add(new ProduceRequestData.PartitionProduceData().setIndex(0).setRecords(records));
        request.topicData().add(data);
        client.send(ApiKeys.PRODUCE, PRODUCE, request);
    }

    private ProduceResponseData.PartitionProduceResponse produced() throws IOException {
        ProduceResponseData answer = new ProduceResponseData(client.receive(ApiKeys.PRODUCE, PRODUCE), PRODUCE);
        return answer.responses().iterator().next().partitionResponses().getFirst();
    }

    private void fetch(int maxWaitMs) throws IOException {
        FetchRequestData.FetchPartition partition = new FetchRequestData.FetchPartition().setPartitionMaxBytes(1 << 20);
        FetchRequestData.FetchTopic topic =
                new FetchRequestData.FetchTopic().setTopic("t").setPartitions(List.of(partition));
        client.send(
                ApiKeys.FETCH,
                FETCH,
                new FetchRequestData()
                        .setMaxWaitMs(maxWaitMs)
                        .setMinBytes(1)
                        .setSessionEpoch(-1)
                        .setTopics(List.of(topic)));
    }

    private FetchResponseData.PartitionData fetched() throws IOException {
        FetchResponseData answer = new FetchResponseData(client.receive(ApiKeys.FETCH, FETCH), FETCH);
        return answer.responses().getFirst().partitions().getFirst();
    }

    private void listOffsets(long timestamp) throws IOException {
        ListOffsetsRequestData.ListOffsetsTopic topic = new ListOffsetsRequestData.ListOffsetsTopic().setName("t");
        topic.partitions().add(new ListOffsetsRequestData.ListOffsetsPartition().setTimestamp(timestamp));
        client.send(
                ApiKeys.LIST_OFFSETS,
                LIST_OFFSETS,
                new ListOffsetsRequestData().setReplicaId(-1).setTopics(List.of(topic)));
    }

    private long listed() throws IOException {
        ListOffsetsResponseData answer =
                new ListOffsetsResponseData(client.receive(ApiKeys.LIST_OFFSETS, LIST_OFFSETS), LIST_OFFSETS);
        return answer.topics().getFirst().partitions().getFirst().offset();
    }

    private void createTopic(String name) throws IOException {
        CreateTopicsRequestData request = new CreateTopicsRequestData().setTimeoutMs(10_000);
        request.topics()
                .add(new CreateTopicsRequestData.CreatableTopic()
                        .setName(name)
                        .setNumPartitions(1)
                        .setReplicationFactor((short) 1));
        client.send(ApiKeys.CREATE_TOPICS, CREATE_TOPICS, request);
    }

    private void metadata(String name) throws IOException {
        client.send(
                ApiKeys.METADATA,
                METADATA,
                new MetadataRequestData()
                        .setAllowAutoTopicCreation(false)
                        .setTopics(List.of(new MetadataRequestData.MetadataRequestTopic().setName(name))));
    }

    private Errors described(String name) throws IOException {
        MetadataResponseData answer = new MetadataResponseData(client.receive(ApiKeys.METADATA, METADATA), METADATA);
        return Errors.forCode(answer.topics().find(name).errorCode());
    }

    private void awaitSequenced(long records) {
        await().until(() -> server.broker.onLoop(log, log::sequencedEnd) == records);
    }

    @Test
    void aFetchSeesWhatWasProducedBeforeIt() throws Exception {
        container().hold();
        produce("t");
        fetch(0);
        awaitSequenced(1);
        container().release();
        assertThat(produced().errorCode()).isZero();
        assertThat(fetched().highWatermark()).isEqualTo(1);
    }

    @Test
    void listOffsetsSeesWhatWasProducedBeforeIt() throws Exception {
        container().hold();
        produce("t");
        produce("t");
        listOffsets(ListOffsetsRequest.LATEST_TIMESTAMP);
        awaitSequenced(2);
        container().release();
        produced();
        produced();
        assertThat(listed()).isEqualTo(2);
    }

    @Test
    void deleteRecordsDeletesWhatWasProducedBeforeItAndIsSeenByWhatFollows() throws Exception {
        container().hold();
        produce("t");
        DeleteRecordsRequestData.DeleteRecordsTopic topic =
                new DeleteRecordsRequestData.DeleteRecordsTopic().setName("t");
        topic.partitions().add(new DeleteRecordsRequestData.DeleteRecordsPartition().setOffset(-1));
        client.send(
                ApiKeys.DELETE_RECORDS,
                DELETE_RECORDS,
                new DeleteRecordsRequestData().setTimeoutMs(10_000).setTopics(List.of(topic)));
        listOffsets(ListOffsetsRequest.EARLIEST_TIMESTAMP);
        awaitSequenced(1);
        container().release();
        produced();
        client.receive(ApiKeys.DELETE_RECORDS, DELETE_RECORDS);
        assertThat(listed()).isEqualTo(1);
    }

    @Test
    void aTopicIsThereForWhatFollowsItsCreation() throws Exception {
        for (int i = 0; i < 20; i++) {
            String name = "new-" + i;
            createTopic(name);
            metadata(name);
            produce(name);
            client.receive(ApiKeys.CREATE_TOPICS, CREATE_TOPICS);
            assertThat(described(name)).isEqualTo(Errors.NONE);
            assertThat(produced().errorCode()).isZero();
        }
    }

    @Test
    void aTopicIsGoneForWhatFollowsItsDeletion() throws Exception {
        for (int i = 0; i < 20; i++) {
            String name = "old-" + i;
            server.broker.createTopic(name, 1);
            client.send(
                    ApiKeys.DELETE_TOPICS,
                    DELETE_TOPICS,
                    new DeleteTopicsRequestData().setTimeoutMs(10_000).setTopicNames(List.of(name)));
            metadata(name);
            client.receive(ApiKeys.DELETE_TOPICS, DELETE_TOPICS);
            assertThat(described(name)).isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION);
        }
    }

    @Test
    void aSettingIsChangedForWhatFollows() throws Exception {
        for (int i = 1; i <= 20; i++) {
            alterRetention("t", i);
            DescribeConfigsRequestData.DescribeConfigsResource asked =
                    new DescribeConfigsRequestData.DescribeConfigsResource()
                            .setResourceType(ConfigResource.Type.TOPIC.id())
                            .setResourceName("t")
                            .setConfigurationKeys(List.of("retention.ms"));
            client.send(
                    ApiKeys.DESCRIBE_CONFIGS,
                    DESCRIBE_CONFIGS,
                    new DescribeConfigsRequestData().setResources(List.of(asked)));
            client.receive(ApiKeys.ALTER_CONFIGS, ALTER_CONFIGS);
            DescribeConfigsResponseData answer = new DescribeConfigsResponseData(
                    client.receive(ApiKeys.DESCRIBE_CONFIGS, DESCRIBE_CONFIGS), DESCRIBE_CONFIGS);
            assertThat(answer.results().getFirst().configs().getFirst().value()).isEqualTo(String.valueOf(i));
        }
    }

    private void alterRetention(String topic, int millis) throws IOException {
        AlterConfigsRequestData.AlterConfigsResource resource = new AlterConfigsRequestData.AlterConfigsResource()
                .setResourceType(ConfigResource.Type.TOPIC.id())
                .setResourceName(topic);
        resource.configs()
                .add(new AlterConfigsRequestData.AlterableConfig()
                        .setName("retention.ms")
                        .setValue(String.valueOf(millis)));
        AlterConfigsRequestData request = new AlterConfigsRequestData();
        request.resources().add(resource);
        client.send(ApiKeys.ALTER_CONFIGS, ALTER_CONFIGS, request);
    }

    @Test
    void producesDoNotWaitForEachOther() throws Exception {
        container().hold();
        for (int i = 0; i < 20; i++) {
            produce("t");
        }
        awaitSequenced(20);
        container().release();
        for (int i = 0; i < 20; i++) {
            assertThat(produced().baseOffset()).isEqualTo(i);
        }
    }

    /** As in Kafka, where a client that wants otherwise uses another connection. */
    @Test
    void aFetchThatWaitsHoldsUpWhatFollows() throws Exception {
        fetch(300);
        produce("t");
        assertThat(fetched().highWatermark()).isZero();
        assertThat(produced().baseOffset()).isZero();
    }

    @Test
    void aClientThatLeavesWhileARequestWaitsItsTurnCostsNothing() throws Exception {
        container().hold();
        produce("t");
        metadata("t");
        awaitSequenced(1);
        client.close();
        await().until(() ->
                server.registry.get("sluice.kafka.connections").gauge().value() == 0);
        container().release();
        await().until(() -> server.gateway.requestMemoryUsed() == 0);
    }

    private void limit(QuotaKey key, long perSecond) throws Exception {
        server.quotas.change(new QuotaEntity(null, new QuotaName("raw")), Map.of(key, perSecond));
    }

    @Test
    void aClientOverItsRateIsToldAndWhatFollowsWaits() throws Exception {
        limit(QuotaKey.PRODUCER_BYTE_RATE, 100);
        long began = System.nanoTime();
        produce("t");
        ProduceResponseData answer = new ProduceResponseData(client.receive(ApiKeys.PRODUCE, PRODUCE), PRODUCE);
        assertThat(answer.throttleTimeMs()).isGreaterThan(300);
        metadata("t");
        // others are served meanwhile
        try (RawClient other = new RawClient(server.port)) {
            other.call(ApiKeys.METADATA, METADATA, new MetadataRequestData());
        }
        assertThat(described("t")).isEqualTo(Errors.NONE);
        assertThat(System.nanoTime() - began).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(answer.throttleTimeMs()));
    }

    @Test
    void oneThatWantsNoAnswersWaitsToo() throws Exception {
        limit(QuotaKey.PRODUCER_BYTE_RATE, 100);
        long began = System.nanoTime();
        produce("t", (short) 0);
        client.passOver();
        metadata("t");
        assertThat(described("t")).isEqualTo(Errors.NONE);
        assertThat(System.nanoTime() - began).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(300));
    }

    /** Though requests of a producer are under way together. */
    @Test
    void theFirstRequestOverTheRateIsTheLastThatIsTaken() throws Exception {
        limit(QuotaKey.PRODUCER_BYTE_RATE, 400);
        long began = System.nanoTime();
        for (int i = 0; i < 7; i++) {
            produce("t");
        }
        for (int i = 0; i < 7; i++) {
            assertThat(produced().errorCode()).isZero();
        }
        // of seven times 160 bytes, all but the second's worth and the last request
        assertThat(System.nanoTime() - began).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(1_000));
    }

    @Test
    void whatIsReadCountsForAnotherQuota() throws Exception {
        limit(QuotaKey.CONSUMER_BYTE_RATE, 100);
        produce("t");
        ProduceResponseData written = new ProduceResponseData(client.receive(ApiKeys.PRODUCE, PRODUCE), PRODUCE);
        assertThat(written.throttleTimeMs()).isZero();
        fetch(0);
        FetchResponseData read = new FetchResponseData(client.receive(ApiKeys.FETCH, FETCH), FETCH);
        assertThat(read.responses().getFirst().partitions().getFirst().highWatermark())
                .isOne();
        assertThat(read.throttleTimeMs()).isGreaterThan(300);
    }

    /** Whichever request it is; the longest pause is a second, though its time is paid for much later. */
    @Test
    void aClientOverItsShareOfTimeIsToldAndWaits() throws Exception {
        limit(QuotaKey.REQUEST_PERCENTAGE, 1);
        long began = System.nanoTime();
        for (int i = 0; i < 2; i++) {
            metadata("t");
            var answer = new MetadataResponseData(client.receive(ApiKeys.METADATA, METADATA), METADATA);
            assertThat(answer.throttleTimeMs()).isBetween(900, 1_000);
        }
        assertThat(System.nanoTime() - began).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(900));
        try (RawClient other = new RawClient(server.port)) {
            server.quotas.change(new QuotaEntity(null, new QuotaName("raw")), Map.of(QuotaKey.REQUEST_PERCENTAGE, ALL));
            var answer = new MetadataResponseData(
                    other.call(ApiKeys.METADATA, METADATA, new MetadataRequestData()), METADATA);
            assertThat(answer.throttleTimeMs()).isZero();
        }
    }

    @Test
    void timeOfWhatHasNoAnswerIsNotCharged() throws Exception {
        limit(QuotaKey.REQUEST_PERCENTAGE, 1);
        produce("t", (short) 0);
        client.passOver();
        metadata("t");
        assertThat(described("t")).isEqualTo(Errors.NONE);
        assertThat(server.registry
                        .get("sluice.kafka.requests.throttled")
                        .counter()
                        .count())
                .isOne();
    }

    @Test
    void aClientThatLeavesInItsPauseIsForgotten() throws Exception {
        limit(QuotaKey.PRODUCER_BYTE_RATE, 1);
        produce("t");
        ProduceResponseData answer = new ProduceResponseData(client.receive(ApiKeys.PRODUCE, PRODUCE), PRODUCE);
        assertThat(answer.throttleTimeMs()).isGreaterThan(100_000);
        client.close();
        await().until(() ->
                server.registry.get("sluice.kafka.connections").gauge().value() == 0);
    }
}
