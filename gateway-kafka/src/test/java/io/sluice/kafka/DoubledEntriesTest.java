package io.sluice.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.kafka.api.KafkaServices;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.DeleteRecordsRequestData;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsPartition;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsTopic;
import org.apache.kafka.common.message.DeleteRecordsResponseData;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsRequestData.DeleteTopicState;
import org.apache.kafka.common.message.DeleteTopicsResponseData;
import org.apache.kafka.common.message.DescribeLogDirsRequestData;
import org.apache.kafka.common.message.DescribeLogDirsRequestData.DescribableLogDirTopic;
import org.apache.kafka.common.message.DescribeLogDirsRequestData.DescribableLogDirTopicCollection;
import org.apache.kafka.common.message.DescribeLogDirsResponseData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.requests.ListOffsetsRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests that name the same thing twice, answered as Apache Kafka 4.4.0 was seen to answer them. */
class DoubledEntriesTest {
    private TestGateway server;
    private RawClient client;
    private Uuid id;

    @BeforeEach
    void start() throws Exception {
        server = new TestGateway();
        id = KafkaServices.kafkaId(server.broker.createTopic("t", 3));
        try (KafkaProducer<byte[], byte[]> producer = server.producer(Map.of())) {
            for (int i = 0; i < 5; i++) {
                producer.send(new ProducerRecord<>("t", 0, null, new byte[10])).get();
            }
        }
        client = new RawClient(server.port);
    }

    @AfterEach
    void stop() throws Exception {
        client.close();
        server.close();
    }

    private static ListOffsetsTopic offsets(String topic, int... partitions) {
        List<ListOffsetsPartition> all = new ArrayList<>();
        for (int partition : partitions) {
            all.add(new ListOffsetsPartition()
                    .setPartitionIndex(partition)
                    .setTimestamp(ListOffsetsRequest.LATEST_TIMESTAMP));
        }
        return new ListOffsetsTopic().setName(topic).setPartitions(all);
    }

    private List<String> listOffsets(short version, ListOffsetsTopic... topics) throws Exception {
        var request = new ListOffsetsRequestData().setReplicaId(-1).setTopics(List.of(topics));
        var answer = new ListOffsetsResponseData(client.call(ApiKeys.LIST_OFFSETS, version, request), version);
        List<String> all = new ArrayList<>();
        answer.topics()
                .forEach(topic -> topic.partitions()
                        .forEach(each -> all.add(topic.name() + each.partitionIndex() + " "
                                + Errors.forCode(each.errorCode()) + " " + each.offset())));
        return all;
    }

    @Test
    void listOffsetsRefusesAPartitionThatIsNamedTwice() throws Exception {
        for (short version : new short[] {1, 7}) {
            assertThat(listOffsets(version, offsets("t", 0, 1, 0)))
                    .containsExactlyInAnyOrder("t0 INVALID_REQUEST -1", "t1 NONE 0");
            assertThat(listOffsets(version, offsets("t", 0, 1), offsets("t", 1)))
                    .containsExactlyInAnyOrder("t0 NONE 5", "t1 INVALID_REQUEST -1");
            assertThat(listOffsets(version, offsets("gone", 0), offsets("gone", 0)))
                    .containsExactly("gone0 INVALID_REQUEST -1");
        }
    }

    @Test
    void ofAFetchTheLastNamingCountsInTheFirstOnesPlace() throws Exception {
        var partitions = new ArrayList<FetchRequestData.FetchPartition>();
        for (int[] each : new int[][] {{0, 0}, {1, 0}, {0, 4}}) {
            partitions.add(new FetchRequestData.FetchPartition()
                    .setPartition(each[0])
                    .setFetchOffset(each[1])
                    .setPartitionMaxBytes(1000));
        }
        var request = new FetchRequestData()
                .setSessionEpoch(-1)
                .setTopics(
                        List.of(new FetchRequestData.FetchTopic().setTopic("t").setPartitions(partitions)));
        var answer = new FetchResponseData(client.call(ApiKeys.FETCH, (short) 12, request), (short) 12);
        var given = answer.responses().getFirst().partitions();
        assertThat(given).extracting(each -> each.partitionIndex()).containsExactly(0, 1);
        assertThat(((MemoryRecords) given.getFirst().records())
                        .batches()
                        .iterator()
                        .next()
                        .baseOffset())
                .isEqualTo(4);
    }

    private List<String> metadata(MetadataRequestTopic... topics) throws Exception {
        var request = new MetadataRequestData().setTopics(List.of(topics)).setAllowAutoTopicCreation(false);
        var answer = new MetadataResponseData(client.call(ApiKeys.METADATA, (short) 12, request), (short) 12);
        return answer.topics().stream()
                .map(topic -> topic.name() + " " + Errors.forCode(topic.errorCode()))
                .toList();
    }

    @Test
    void metadataDescribesATopicOnce() throws Exception {
        var named = new MetadataRequestTopic().setName("t");
        var gone = new MetadataRequestTopic().setName("gone");
        assertThat(metadata(named, gone, named.duplicate(), gone.duplicate()))
                .containsExactlyInAnyOrder("t NONE", "gone UNKNOWN_TOPIC_OR_PARTITION");
        var byId = new MetadataRequestTopic().setName(null).setTopicId(id);
        assertThat(metadata(byId, byId.duplicate())).containsExactly("t NONE");
    }

    @Test
    void ofDeletedRecordsTheLastOffsetCounts() throws Exception {
        for (boolean together : List.of(true, false)) {
            List<DeleteRecordsTopic> topics = new ArrayList<>();
            List<DeleteRecordsPartition> partitions = new ArrayList<>();
            for (long offset : new long[] {4, 2}) {
                partitions.add(new DeleteRecordsPartition().setPartitionIndex(0).setOffset(offset));
            }
            if (together) {
                topics.add(new DeleteRecordsTopic().setName("t").setPartitions(partitions));
            } else {
                partitions.forEach(
                        each -> topics.add(new DeleteRecordsTopic().setName("t").setPartitions(List.of(each))));
            }
            var request = new DeleteRecordsRequestData().setTopics(topics).setTimeoutMs(30_000);
            var answer =
                    new DeleteRecordsResponseData(client.call(ApiKeys.DELETE_RECORDS, (short) 2, request), (short) 2);
            assertThat(answer.topics()).hasSize(1);
            var given = answer.topics().iterator().next().partitions();
            assertThat(given).hasSize(1);
            assertThat(given.iterator().next().lowWatermark()).isEqualTo(2);
        }
    }

    @Test
    void logDirsShowAPartitionOnce() throws Exception {
        var topics = new DescribableLogDirTopicCollection();
        for (int i = 0; i < 2; i++) {
            topics.mustAdd(new DescribableLogDirTopic().setTopic("t").setPartitions(List.of(0, 0, 1)));
        }
        var answer = new DescribeLogDirsResponseData(
                client.call(ApiKeys.DESCRIBE_LOG_DIRS, (short) 4, new DescribeLogDirsRequestData().setTopics(topics)),
                (short) 4);
        var given = answer.results().getFirst().topics();
        assertThat(given).hasSize(1);
        assertThat(given.getFirst().partitions())
                .extracting(each -> each.partitionIndex())
                .containsExactly(0, 1);
    }

    @Test
    void aTopicThatIsNamedTwiceIsNotDeleted() throws Exception {
        server.broker.createTopic("u", 1);
        server.broker.createTopic("v", 1);
        assertThat(delete(
                        new DeleteTopicState().setName("u"),
                        new DeleteTopicState().setName("u"),
                        new DeleteTopicState().setName("v"),
                        new DeleteTopicState().setName("gone"),
                        new DeleteTopicState().setName("gone")))
                .containsExactlyInAnyOrder(Errors.INVALID_REQUEST, Errors.NONE, Errors.INVALID_REQUEST);
        assertThat(delete(
                        new DeleteTopicState().setName("t"),
                        new DeleteTopicState().setName(null).setTopicId(id)))
                .containsExactly(Errors.INVALID_REQUEST);
        Uuid none = new Uuid(1, 2);
        assertThat(delete(
                        new DeleteTopicState().setName(null).setTopicId(none),
                        new DeleteTopicState().setName(null).setTopicId(none)))
                .containsExactly(Errors.INVALID_REQUEST);
        var byName = new DeleteTopicsRequestData().setTimeoutMs(30_000).setTopicNames(List.of("u", "u"));
        var answer = new DeleteTopicsResponseData(client.call(ApiKeys.DELETE_TOPICS, (short) 5, byName), (short) 5);
        assertThat(answer.responses())
                .extracting(each -> Errors.forCode(each.errorCode()))
                .containsExactly(Errors.INVALID_REQUEST);
        assertThat(metadata(
                        new MetadataRequestTopic().setName("t"),
                        new MetadataRequestTopic().setName("u"),
                        new MetadataRequestTopic().setName("v")))
                .containsExactlyInAnyOrder("t NONE", "u NONE", "v UNKNOWN_TOPIC_OR_PARTITION");
    }

    private List<Errors> delete(DeleteTopicState... topics) throws Exception {
        var request = new DeleteTopicsRequestData().setTimeoutMs(30_000).setTopics(List.of(topics));
        var answer = new DeleteTopicsResponseData(client.call(ApiKeys.DELETE_TOPICS, (short) 6, request), (short) 6);
        return answer.responses().stream()
                .map(each -> Errors.forCode(each.errorCode()))
                .toList();
    }
}
