package io.sluice.kafka.coordinator.handler;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.TestBroker;
import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.cluster.Endpoint;
import io.sluice.broker.cluster.SingleNode;
import io.sluice.broker.topic.Topic;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.coordinator.GroupCoordinators;
import io.sluice.kafka.coordinator.GroupSettings;
import io.sluice.testing.ExpectedLog;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ConsumerGroupDescribeRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.FindCoordinatorResponse;
import org.apache.kafka.common.requests.OffsetCommitResponse;
import org.apache.kafka.common.requests.OffsetFetchResponse;
import org.apache.kafka.common.utils.Time;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every version of every group API is answered with bytes a client of that version can read. */
@ExpectedLog("Failed to parse Consumer Protocol consumer:range of group joined-")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EveryVersionTest {
    private final TestBroker broker = TestBroker.start();
    private final Topic topic = broker.createTopic("t", 2);
    private GroupCoordinators groups;
    private Map<ApiKeys, ApiHandler> handlers;

    @BeforeAll
    void start() throws Exception {
        var cluster = new SingleNode("cluster", 7);
        cluster.advertise(ClusterNode.KAFKA, new Endpoint("here", 9092));
        KafkaServices services = new KafkaServices(
                broker.catalogue(), broker.partitions(), () -> 1, Runnable::run, System::currentTimeMillis, cluster);
        groups = GroupCoordinators.start(GroupSettings.DEFAULT, services, Time.SYSTEM);
        handlers = GroupHandlers.of(groups).stream().collect(Collectors.toMap(ApiHandler::key, Function.identity()));
        Asked.untilLoaded(handler(ApiKeys.LIST_GROUPS));
    }

    @AfterAll
    void close() {
        groups.close();
        broker.close();
    }

    @ParameterizedTest
    @EnumSource(
            value = ApiKeys.class,
            names = {
                "FIND_COORDINATOR",
                "HEARTBEAT",
                "SYNC_GROUP",
                "LEAVE_GROUP",
                "OFFSET_COMMIT",
                "OFFSET_FETCH",
                "OFFSET_DELETE",
                "LIST_GROUPS",
                "DESCRIBE_GROUPS",
                "DELETE_GROUPS",
                "JOIN_GROUP",
                "CONSUMER_GROUP_HEARTBEAT",
                "CONSUMER_GROUP_DESCRIBE"
            })
    void isAnswered(ApiKeys api) {
        ApiHandler handler = handler(api);
        for (int version = handler.minVersion(); version <= handler.maxVersion(); version++) {
            AbstractResponse response = Asked.ask(handler, version, request(api, version));

            assertThat(response.errorCounts())
                    .as("%s v%d", api, version)
                    .doesNotContainKeys(
                            Errors.UNKNOWN_SERVER_ERROR, Errors.UNSUPPORTED_VERSION, Errors.INVALID_REQUEST);
        }
    }

    @Test
    void theCoordinatorIsTheNodeThatMetadataNames() {
        for (int version = 0; version <= ApiKeys.FIND_COORDINATOR.latestVersion(); version++) {
            var found = (FindCoordinatorResponse)
                    Asked.ask(handler(ApiKeys.FIND_COORDINATOR), version, request(ApiKeys.FIND_COORDINATOR, version));

            if (version < 4) {
                assertThat(found.node()).isEqualTo(new Node(7, "here", 9092));
            } else {
                assertThat(found.coordinators()).hasSize(2).allSatisfy(coordinator -> {
                    assertThat(coordinator.errorCode()).isZero();
                    assertThat(new Node(coordinator.nodeId(), coordinator.host(), coordinator.port()))
                            .isEqualTo(new Node(7, "here", 9092));
                });
            }
        }
    }

    @Test
    void aTransactionsCoordinatorIsRefusedForGood() {
        var asked = new FindCoordinatorRequestData().setKeyType((byte) 1).setCoordinatorKeys(List.of("tx"));

        var found = (FindCoordinatorResponse) Asked.ask(handler(ApiKeys.FIND_COORDINATOR), 4, asked);

        assertThat(found.coordinators().getFirst().errorCode()).isEqualTo(Errors.INVALID_REQUEST.code());
        assertThat(found.coordinators().getFirst().errorMessage()).contains("transactions");
    }

    @Test
    void offsetsOfUnknownTopicsAndPartitionsAreRefusedOneByOne() {
        for (int version = 2; version <= 9; version++) {
            OffsetCommitRequestData asked = (OffsetCommitRequestData) request(ApiKeys.OFFSET_COMMIT, version);
            asked.topics().getFirst().partitions().getFirst().setPartitionIndex(1);
            asked.setTopics(List.of(asked.topics().getFirst(), commit("t", 2, 5), commit("missing", 0, 5)));

            var response = (OffsetCommitResponse) Asked.ask(handler(ApiKeys.OFFSET_COMMIT), version, asked);

            assertThat(response.errorCounts())
                    .as("v%d", version)
                    .isEqualTo(Map.of(Errors.NONE, 1, Errors.UNKNOWN_TOPIC_OR_PARTITION, 2));
        }
    }

    @Test
    void anUnknownTopicIdIsRefusedAndAKnownOneCommitted() {
        OffsetCommitRequestData asked = (OffsetCommitRequestData) request(ApiKeys.OFFSET_COMMIT, 10);
        asked.setGroupId("by-id");
        asked.topics().getFirst().partitions().getFirst().setCommittedOffset(77);
        asked.setTopics(List.of(asked.topics().getFirst(), commit("", 0, 5).setTopicId(Uuid.randomUuid())));

        var committed = (OffsetCommitResponse) Asked.ask(handler(ApiKeys.OFFSET_COMMIT), 10, asked);

        assertThat(committed.errorCounts()).isEqualTo(Map.of(Errors.NONE, 1, Errors.UNKNOWN_TOPIC_ID, 1));
        OffsetFetchRequestData fetch = (OffsetFetchRequestData) request(ApiKeys.OFFSET_FETCH, 10);
        fetch.groups().getFirst().setGroupId("by-id");
        var fetched = (OffsetFetchResponse) Asked.ask(handler(ApiKeys.OFFSET_FETCH), 10, fetch);
        var group = fetched.group("by-id");
        assertThat(group.topics()).hasSize(1);
        assertThat(group.topics().getFirst().topicId()).isEqualTo(KafkaServices.kafkaId(topic));
        assertThat(group.topics().getFirst().partitions().getFirst().committedOffset())
                .isEqualTo(77);
    }

    private ApiHandler handler(ApiKeys api) {
        return Objects.requireNonNull(handlers.get(api));
    }

    private static OffsetCommitRequestData.OffsetCommitRequestTopic commit(String topic, int partition, long offset) {
        return new OffsetCommitRequestData.OffsetCommitRequestTopic()
                .setName(topic)
                .setPartitions(List.of(new OffsetCommitRequestData.OffsetCommitRequestPartition()
                        .setPartitionIndex(partition)
                        .setCommittedOffset(offset)));
    }

    private ApiMessage request(ApiKeys api, int version) {
        Uuid id = KafkaServices.kafkaId(topic);
        return switch (api) {
            case FIND_COORDINATOR ->
                version < 4
                        ? new FindCoordinatorRequestData().setKey("g")
                        : new FindCoordinatorRequestData().setCoordinatorKeys(List.of("g", "h"));
            case JOIN_GROUP -> joining(version);
            case SYNC_GROUP -> new SyncGroupRequestData().setGroupId("g").setMemberId("m");
            case HEARTBEAT -> new HeartbeatRequestData().setGroupId("g").setMemberId("m");
            case LEAVE_GROUP ->
                version < 3
                        ? new LeaveGroupRequestData().setGroupId("g").setMemberId("m")
                        : new LeaveGroupRequestData()
                                .setGroupId("g")
                                .setMembers(List.of(new LeaveGroupRequestData.MemberIdentity().setMemberId("m")));
            case OFFSET_COMMIT ->
                new OffsetCommitRequestData()
                        .setGroupId("g")
                        .setTopics(List.of(
                                version < 10
                                        ? commit("t", 0, 5)
                                        : commit("", 0, 5).setTopicId(id)));
            case OFFSET_FETCH -> fetching(version, id);
            case OFFSET_DELETE -> {
                var asked = new OffsetDeleteRequestData().setGroupId("g");
                asked.topics()
                        .add(new OffsetDeleteRequestData.OffsetDeleteRequestTopic()
                                .setName("t")
                                .setPartitions(IntStream.of(0, 9)
                                        .mapToObj(p -> new OffsetDeleteRequestData.OffsetDeleteRequestPartition()
                                                .setPartitionIndex(p))
                                        .toList()));
                yield asked;
            }
            case LIST_GROUPS -> new ListGroupsRequestData();
            case DESCRIBE_GROUPS ->
                new DescribeGroupsRequestData()
                        .setGroups(List.of("g", "none"))
                        .setIncludeAuthorizedOperations(version >= 3);
            case DELETE_GROUPS -> new DeleteGroupsRequestData().setGroupsNames(List.of("none"));
            case CONSUMER_GROUP_HEARTBEAT ->
                new ConsumerGroupHeartbeatRequestData()
                        .setGroupId("modern")
                        .setMemberId(Uuid.randomUuid().toString())
                        .setRebalanceTimeoutMs(1000)
                        .setSubscribedTopicNames(List.of("t"))
                        .setTopicPartitions(List.of());
            case CONSUMER_GROUP_DESCRIBE ->
                new ConsumerGroupDescribeRequestData()
                        .setGroupIds(List.of("modern", "none"))
                        .setIncludeAuthorizedOperations(true);
            default -> throw new IllegalArgumentException(api.name());
        };
    }

    private static ApiMessage joining(int version) {
        var protocols = new JoinGroupRequestData.JoinGroupRequestProtocolCollection();
        protocols.add(new JoinGroupRequestData.JoinGroupRequestProtocol().setName("range"));
        return new JoinGroupRequestData()
                .setGroupId("joined-v" + version)
                .setSessionTimeoutMs(10_000)
                .setRebalanceTimeoutMs(version == 0 ? -1 : 10_000)
                .setProtocolType("consumer")
                .setProtocols(protocols);
    }

    private static ApiMessage fetching(int version, Uuid id) {
        if (version < 8) {
            return new OffsetFetchRequestData()
                    .setGroupId("g")
                    .setTopics(List.of(new OffsetFetchRequestData.OffsetFetchRequestTopic()
                            .setName("t")
                            .setPartitionIndexes(List.of(0, 1))));
        }
        var topics = new OffsetFetchRequestData.OffsetFetchRequestTopics().setPartitionIndexes(List.of(0, 1));
        return new OffsetFetchRequestData()
                .setGroups(Stream.of("g")
                        .map(group -> new OffsetFetchRequestData.OffsetFetchRequestGroup()
                                .setGroupId(group)
                                .setTopics(List.of(version < 10 ? topics.setName("t") : topics.setTopicId(id))))
                        .collect(Collectors.toList()));
    }
}
