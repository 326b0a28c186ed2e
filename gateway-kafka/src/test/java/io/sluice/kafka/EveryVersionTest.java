package io.sluice.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreatePartitionsRequestData.CreatePartitionsTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.DeleteRecordsRequestData;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsPartition;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsTopic;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsRequestData.DeleteTopicState;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData.DescribeConfigsResource;
import org.apache.kafka.common.message.DescribeLogDirsRequestData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderPartition;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Every version of every advertised API gives an answer that parses to its last byte. */
class EveryVersionTest {
    private TestGateway server;
    private RawClient client;
    private Uuid topicId;

    @BeforeEach
    void start() throws Exception {
        server = new TestGateway();
        var topic = server.broker.createTopic("t", 2);
        topicId = new Uuid(topic.id().getMostSignificantBits(), topic.id().getLeastSignificantBits());
        try (KafkaProducer<byte[], byte[]> producer = server.producer(Map.of())) {
            producer.send(new ProducerRecord<>("t", 0, 1L, null, new byte[100])).get();
        }
        client = new RawClient(server.port);
    }

    @AfterEach
    void stop() throws Exception {
        client.close();
        server.close();
    }

    private ApiMessage call(ApiKeys api, short version, ApiMessage request) throws Exception {
        ByteBufferAccessor body = client.call(api, version, request);
        ApiMessage answer = ApiMessageType.fromApiKey(api.id).newResponse();
        answer.read(body, version);
        assertThat(body.remaining()).as("%s v%d, bytes left", api, version).isZero();
        return answer;
    }

    private Map<ApiKeys, List<Short>> advertised() throws Exception {
        var answer = (ApiVersionsResponseData) call(
                ApiKeys.API_VERSIONS,
                (short) 4,
                new ApiVersionsRequestData().setClientSoftwareName("test").setClientSoftwareVersion("1"));
        Map<ApiKeys, List<Short>> versions = new TreeMap<>();
        answer.apiKeys().forEach(api -> {
            ApiKeys key = ApiKeys.forId(api.apiKey());
            versions.put(
                    key,
                    key.allVersions().stream()
                            .filter(v -> v >= api.minVersion() && v <= api.maxVersion())
                            .toList());
        });
        return versions;
    }

    @Test
    void answersRequestsThatAskForNothing() throws Exception {
        for (var entry : advertised().entrySet()) {
            ApiKeys api = entry.getKey();
            if (api == ApiKeys.API_VERSIONS || api == ApiKeys.PRODUCE) {
                continue; // an empty client's name is refused; acks 0 is not answered
            }
            for (short version : entry.getValue()) {
                call(api, version, ApiMessageType.fromApiKey(api.id).newRequest());
            }
        }
    }

    @Test
    void answersRequestsThatAskForWhatIsThereAndWhatIsNot() throws Exception {
        Map<ApiKeys, List<Short>> all = advertised();
        for (ApiKeys api : all.keySet()) {
            for (short version : all.getOrDefault(api, List.of())) {
                ApiMessage request = request(api, version);
                if (request != null) {
                    call(api, version, request);
                }
            }
        }
    }

    private @org.jspecify.annotations.Nullable ApiMessage request(ApiKeys api, short version) {
        return switch (api) {
            case FETCH -> fetch(version);
            case METADATA -> {
                MetadataRequestData request = new MetadataRequestData();
                request.topics().add(new MetadataRequestTopic().setName("t"));
                request.topics().add(new MetadataRequestTopic().setName("bad name"));
                if (version >= 12) {
                    request.topics()
                            .add(new MetadataRequestTopic().setName(null).setTopicId(topicId));
                    request.topics()
                            .add(new MetadataRequestTopic().setName(null).setTopicId(Uuid.randomUuid()));
                }
                yield request;
            }
            case LIST_OFFSETS -> {
                ListOffsetsTopic topic = new ListOffsetsTopic().setName("t");
                for (long time : new long[] {-1, -2, -3, 0, 100}) {
                    topic.partitions()
                            .add(new ListOffsetsPartition().setPartitionIndex(0).setTimestamp(time));
                }
                topic.partitions().add(new ListOffsetsPartition().setPartitionIndex(7));
                yield new ListOffsetsRequestData().setTopics(List.of(topic));
            }
            case OFFSET_FOR_LEADER_EPOCH -> {
                OffsetForLeaderEpochRequestData request = new OffsetForLeaderEpochRequestData();
                request.topics()
                        .add(new OffsetForLeaderTopic()
                                .setTopic("t")
                                .setPartitions(List.of(
                                        new OffsetForLeaderPartition()
                                                .setPartition(0)
                                                .setLeaderEpoch(0),
                                        new OffsetForLeaderPartition()
                                                .setPartition(1)
                                                .setLeaderEpoch(99),
                                        new OffsetForLeaderPartition().setPartition(9))));
                yield request;
            }
            case DELETE_RECORDS ->
                new DeleteRecordsRequestData()
                        .setTopics(List.of(new DeleteRecordsTopic()
                                .setName("t")
                                .setPartitions(List.of(
                                        new DeleteRecordsPartition()
                                                .setPartitionIndex(0)
                                                .setOffset(0),
                                        new DeleteRecordsPartition()
                                                .setPartitionIndex(1)
                                                .setOffset(99)))));
            case CREATE_TOPICS -> {
                CreateTopicsRequestData request = new CreateTopicsRequestData();
                for (String name : List.of("t", "new-" + version, "bad name")) {
                    request.topics()
                            .add(new CreatableTopic()
                                    .setName(name)
                                    .setNumPartitions(1)
                                    .setReplicationFactor((short) 1));
                }
                yield request;
            }
            case DELETE_TOPICS ->
                version < 6
                        ? new DeleteTopicsRequestData().setTopicNames(List.of("none", "bad name"))
                        : new DeleteTopicsRequestData()
                                .setTopics(List.of(
                                        new DeleteTopicState().setName("none"),
                                        new DeleteTopicState().setTopicId(Uuid.randomUuid())));
            case CREATE_PARTITIONS -> {
                CreatePartitionsRequestData request = new CreatePartitionsRequestData();
                request.topics()
                        .add(new CreatePartitionsTopic()
                                .setName("t")
                                .setCount(1)
                                .setAssignments(null));
                request.topics().add(new CreatePartitionsTopic().setName("none").setCount(3));
                yield request;
            }
            case DESCRIBE_CONFIGS ->
                new DescribeConfigsRequestData()
                        .setIncludeSynonyms(true)
                        .setResources(List.of(
                                resource((byte) 2, "t"),
                                resource((byte) 2, "none"),
                                resource((byte) 4, "1"),
                                resource((byte) 99, "x")));
            case DESCRIBE_LOG_DIRS -> new DescribeLogDirsRequestData().setTopics(null);
            default -> null;
        };
    }

    private static DescribeConfigsResource resource(byte type, String name) {
        return new DescribeConfigsResource()
                .setResourceType(type)
                .setResourceName(name)
                .setConfigurationKeys(null);
    }

    private FetchRequestData fetch(short version) {
        FetchTopic topic = new FetchTopic()
                .setPartitions(List.of(
                        new FetchPartition().setPartition(0).setPartitionMaxBytes(10_000),
                        new FetchPartition().setPartition(1).setPartitionMaxBytes(10_000),
                        new FetchPartition().setPartition(5).setPartitionMaxBytes(10_000)));
        return new FetchRequestData()
                .setMaxWaitMs(10)
                .setMinBytes(1)
                .setMaxBytes(100_000)
                .setTopics(List.of(version < 13 ? topic.setTopic("t") : topic.setTopicId(topicId)));
    }

    @Test
    void aFetchSessionTellsOnlyTheNews() throws Exception {
        short version = 17;
        var first =
                (FetchResponseData) call(ApiKeys.FETCH, version, fetch(version).setSessionEpoch(0));
        assertThat(first.sessionId()).isPositive();
        assertThat(first.responses().getFirst().partitions()).hasSize(3);
        FetchRequestData next = new FetchRequestData()
                .setMaxWaitMs(50)
                .setMinBytes(1)
                .setSessionId(first.sessionId())
                .setSessionEpoch(1);
        FetchPartition moved =
                new FetchPartition().setPartition(0).setFetchOffset(1).setPartitionMaxBytes(10_000);
        next.topics().add(new FetchTopic().setTopicId(topicId).setPartitions(List.of(moved)));
        next.forgottenTopicsData()
                .add(new FetchRequestData.ForgottenTopic().setTopicId(topicId).setPartitions(List.of(5)));
        var second = (FetchResponseData) call(ApiKeys.FETCH, version, next);
        assertThat(second.errorCode()).isZero();
        assertThat(second.responses()).isEmpty();
    }

    @Test
    void metadataSaysTheSameInEveryVersion() throws Exception {
        for (short version : ApiKeys.METADATA.allVersions()) {
            MetadataRequestData request = new MetadataRequestData().setTopics(version == 0 ? List.of() : null);
            var answer = (MetadataResponseData) call(ApiKeys.METADATA, version, request);
            assertThat(answer.brokers())
                    .singleElement()
                    .satisfies(b -> assertThat(b.port()).isEqualTo(server.port));
            assertThat(answer.topics().find("t").partitions())
                    .hasSize(2)
                    .allSatisfy(p -> assertThat(p.leaderId()).isEqualTo(1));
        }
    }
}
