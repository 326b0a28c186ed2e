package io.sluice.kafka.coordinator.handler;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.TestBroker;
import io.sluice.broker.access.Operation;
import io.sluice.broker.cluster.SingleNode;
import io.sluice.kafka.DenyingAuthorizer;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.KafkaAccess;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.coordinator.GroupCoordinators;
import io.sluice.kafka.coordinator.GroupSettings;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ConsumerGroupDescribeRequestData;
import org.apache.kafka.common.message.ConsumerGroupDescribeResponseData.DescribedGroup;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestPartition;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestTopic;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopic;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartitions;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseTopics;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ConsumerGroupDescribeResponse;
import org.apache.kafka.common.requests.ConsumerGroupHeartbeatResponse;
import org.apache.kafka.common.requests.OffsetCommitResponse;
import org.apache.kafka.common.requests.OffsetDeleteResponse;
import org.apache.kafka.common.requests.OffsetFetchResponse;
import org.apache.kafka.common.utils.Time;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Offsets and subscriptions of topics that the client may not use. Two topics are there, {@code open} and {@code secret}; two
 * are not, {@code gone} and {@code secret-gone}.
 */
class GroupAccessTest {
    private static final List<String> NAMES = List.of("open", "secret", "gone", "secret-gone");
    private static final long COMMITTED = 5;

    private final DenyingAuthorizer authorizer = new DenyingAuthorizer();
    private final TestBroker broker = TestBroker.start();
    private final Uuid open = KafkaServices.kafkaId(broker.createTopic("open", 1));
    private final Uuid secret = KafkaServices.kafkaId(broker.createTopic("secret", 1));
    private final Uuid unknown = Uuid.randomUuid();
    private GroupCoordinators groups;
    private Map<ApiKeys, ApiHandler> handlers;

    @BeforeEach
    void start() throws Exception {
        KafkaServices services = new KafkaServices(
                broker.catalogue(),
                broker.partitions(),
                () -> 1,
                Runnable::run,
                System::currentTimeMillis,
                new SingleNode("cluster", 7),
                1,
                new KafkaAccess(broker.catalogue(), authorizer));
        groups = GroupCoordinators.start(GroupSettings.DEFAULT, services, Time.SYSTEM);
        handlers = GroupHandlers.of(groups).stream().collect(Collectors.toMap(ApiHandler::key, Function.identity()));
        Asked.untilLoaded(handler(ApiKeys.LIST_GROUPS));
    }

    @AfterEach
    void close() {
        groups.close();
        broker.close();
    }

    private ApiHandler handler(ApiKeys api) {
        return Objects.requireNonNull(handlers.get(api));
    }

    // ---- OffsetCommit

    private static OffsetCommitRequestTopic at(long offset) {
        return new OffsetCommitRequestTopic()
                .setPartitions(List.of(new OffsetCommitRequestPartition().setCommittedOffset(offset)));
    }

    private List<Errors> commit(int version, List<OffsetCommitRequestTopic> topics) {
        var request = new OffsetCommitRequestData().setGroupId("g").setTopics(topics);
        var answer = (OffsetCommitResponse) Asked.ask(handler(ApiKeys.OFFSET_COMMIT), version, request);
        Map<Object, Errors> errors = new LinkedHashMap<>();
        answer.data()
                .topics()
                .forEach(topic -> errors.put(
                        version < 10 ? topic.name() : topic.topicId(),
                        Errors.forCode(topic.partitions().getFirst().errorCode())));
        return topics.stream()
                .map(topic -> errors.get(version < 10 ? topic.name() : topic.topicId()))
                .toList();
    }

    private List<Errors> commitNamed(List<String> names) {
        return commit(9, names.stream().map(name -> at(COMMITTED).setName(name)).toList());
    }

    @Test
    void committingNeedsRead() {
        authorizer.deny(EnumSet.of(Operation.READ));
        assertThat(commitNamed(NAMES))
                .containsExactly(
                        Errors.NONE,
                        Errors.TOPIC_AUTHORIZATION_FAILED,
                        Errors.UNKNOWN_TOPIC_OR_PARTITION,
                        Errors.TOPIC_AUTHORIZATION_FAILED);
        assertThat(commit(10, List.of(at(7).setTopicId(open), at(7).setTopicId(secret), at(7).setTopicId(unknown))))
                .containsExactly(Errors.NONE, Errors.TOPIC_AUTHORIZATION_FAILED, Errors.UNKNOWN_TOPIC_ID);
        authorizer.deny(EnumSet.complementOf(EnumSet.of(Operation.READ, Operation.DESCRIBE)));
        assertThat(offsets(fetch(9, named(List.of("open", "secret"))))).isEqualTo(Map.of("open", 7L, "secret", -1L));
        assertThat(commitNamed(List.of("secret"))).containsExactly(Errors.NONE);
    }

    // ---- OffsetFetch

    private record Fetched(List<OffsetFetchResponseTopics> topics, Errors error) {}

    private Fetched fetch(int version, OffsetFetchRequestGroup group) {
        var request = new OffsetFetchRequestData().setGroups(List.of(group.setGroupId("g")));
        var answer = (OffsetFetchResponse) Asked.ask(handler(ApiKeys.OFFSET_FETCH), version, request);
        var fetched = answer.group("g");
        return new Fetched(fetched.topics(), Errors.forCode(fetched.errorCode()));
    }

    private static OffsetFetchRequestGroup named(List<String> names) {
        return new OffsetFetchRequestGroup()
                .setTopics(names.stream()
                        .map(name ->
                                new OffsetFetchRequestTopics().setName(name).setPartitionIndexes(List.of(0)))
                        .toList());
    }

    private static OffsetFetchRequestGroup ids(Uuid... ids) {
        return new OffsetFetchRequestGroup()
                .setTopics(List.of(ids).stream()
                        .map(id -> new OffsetFetchRequestTopics().setTopicId(id).setPartitionIndexes(List.of(0)))
                        .toList());
    }

    private static OffsetFetchRequestGroup all() {
        return new OffsetFetchRequestGroup().setTopics(null);
    }

    private static OffsetFetchResponsePartitions first(OffsetFetchResponseTopics topic) {
        return topic.partitions().getFirst();
    }

    private static Map<String, Long> offsets(Fetched fetched) {
        return fetched.topics.stream()
                .collect(Collectors.toMap(
                        OffsetFetchResponseTopics::name, topic -> first(topic).committedOffset()));
    }

    private static Map<String, Errors> errors(Fetched fetched) {
        return fetched.topics.stream()
                .collect(Collectors.toMap(OffsetFetchResponseTopics::name, GroupAccessTest::error));
    }

    private static Errors error(OffsetFetchResponseTopics topic) {
        return Errors.forCode(first(topic).errorCode());
    }

    private static Map<Uuid, Errors> errorsOfIds(Fetched fetched) {
        return fetched.topics.stream()
                .collect(Collectors.toMap(OffsetFetchResponseTopics::topicId, GroupAccessTest::error));
    }

    @Test
    void fetchingOffsetsNeedsDescribe() {
        commitNamed(List.of("open", "secret"));
        authorizer.deny(EnumSet.of(Operation.DESCRIBE));
        Fetched byName = fetch(9, named(NAMES));
        assertThat(byName.error).isEqualTo(Errors.NONE);
        assertThat(errors(byName))
                .isEqualTo(Map.of(
                        "open", Errors.NONE,
                        "secret", Errors.TOPIC_AUTHORIZATION_FAILED,
                        "gone", Errors.NONE, // as Kafka, which does not look whether it is there
                        "secret-gone", Errors.TOPIC_AUTHORIZATION_FAILED));
        assertThat(offsets(byName))
                .isEqualTo(Map.of("open", COMMITTED, "secret", -1L, "gone", -1L, "secret-gone", -1L));
        assertThat(errors(fetch(9, named(List.of("secret")))))
                .isEqualTo(Map.of("secret", Errors.TOPIC_AUTHORIZATION_FAILED));
        assertThat(errorsOfIds(fetch(10, ids(open, secret, unknown))))
                .isEqualTo(Map.of(
                        open, Errors.NONE,
                        secret, Errors.TOPIC_AUTHORIZATION_FAILED,
                        unknown, Errors.UNKNOWN_TOPIC_ID));

        authorizer.deny(EnumSet.complementOf(EnumSet.of(Operation.DESCRIBE)));
        assertThat(offsets(fetch(9, named(List.of("open", "secret")))))
                .isEqualTo(Map.of("open", COMMITTED, "secret", COMMITTED));
    }

    @Test
    void oldVersionsAreToldTopicByTopicToo() {
        commitNamed(List.of("open", "secret"));
        authorizer.deny(EnumSet.of(Operation.DESCRIBE));
        var request = new OffsetFetchRequestData()
                .setGroupId("g")
                .setTopics(List.of(
                        new OffsetFetchRequestTopic().setName("open").setPartitionIndexes(List.of(0)),
                        new OffsetFetchRequestTopic().setName("secret").setPartitionIndexes(List.of(0))));
        for (int version = 1; version <= 7; version++) {
            var answer = (OffsetFetchResponse) Asked.ask(handler(ApiKeys.OFFSET_FETCH), version, request);
            assertThat(answer.errorCounts())
                    .as("v%d", version)
                    .containsEntry(Errors.TOPIC_AUTHORIZATION_FAILED, 1)
                    .containsOnlyKeys(Errors.NONE, Errors.TOPIC_AUTHORIZATION_FAILED);
        }
    }

    @Test
    void allOffsetsAreThoseOfTopicsThatMayBeDescribed() {
        commitNamed(List.of("open", "secret"));
        assertThat(offsets(fetch(9, all()))).containsOnlyKeys("open", "secret");
        authorizer.deny(EnumSet.of(Operation.DESCRIBE));
        assertThat(offsets(fetch(9, all()))).isEqualTo(Map.of("open", COMMITTED));
        assertThat(errorsOfIds(fetch(10, all()))).isEqualTo(Map.of(open, Errors.NONE));
    }

    // ---- OffsetDelete

    @Test
    void deletingOffsetsNeedsRead() {
        commitNamed(List.of("open", "secret"));
        authorizer.deny(EnumSet.of(Operation.READ));
        OffsetDeleteRequestData request = new OffsetDeleteRequestData().setGroupId("g");
        NAMES.forEach(name -> request.topics()
                .add(new OffsetDeleteRequestTopic()
                        .setName(name)
                        .setPartitions(List.of(new OffsetDeleteRequestPartition()))));

        var answer = (OffsetDeleteResponse) Asked.ask(handler(ApiKeys.OFFSET_DELETE), 0, request);

        assertThat(answer.data().errorCode()).isZero();
        assertThat(answer.data().topics().stream()
                        .collect(Collectors.toMap(
                                topic -> topic.name(),
                                topic -> Errors.forCode(
                                        topic.partitions().iterator().next().errorCode()))))
                .isEqualTo(Map.of(
                        "open", Errors.NONE,
                        "secret", Errors.TOPIC_AUTHORIZATION_FAILED,
                        "gone", Errors.UNKNOWN_TOPIC_OR_PARTITION,
                        "secret-gone", Errors.TOPIC_AUTHORIZATION_FAILED));
        assertThat(offsets(fetch(9, all()))).isEqualTo(Map.of("secret", COMMITTED));
    }

    // ---- subscriptions

    private ConsumerGroupHeartbeatResponse join(String group, String... topics) {
        var request = new ConsumerGroupHeartbeatRequestData()
                .setGroupId(group)
                .setMemberId(Uuid.randomUuid().toString())
                .setRebalanceTimeoutMs(1000)
                .setSubscribedTopicNames(List.of(topics))
                .setTopicPartitions(List.of());
        return (ConsumerGroupHeartbeatResponse) Asked.ask(handler(ApiKeys.CONSUMER_GROUP_HEARTBEAT), 1, request);
    }

    private Map<String, DescribedGroup> describe(String... ids) {
        var request = new ConsumerGroupDescribeRequestData().setGroupIds(List.of(ids));
        var answer = (ConsumerGroupDescribeResponse) Asked.ask(handler(ApiKeys.CONSUMER_GROUP_DESCRIBE), 1, request);
        return answer.data().groups().stream().collect(Collectors.toMap(DescribedGroup::groupId, Function.identity()));
    }

    @Test
    void subscribingNeedsDescribe() {
        authorizer.deny(EnumSet.of(Operation.DESCRIBE));
        assertThat(join("a", "open", "secret").data().errorCode()).isEqualTo(Errors.TOPIC_AUTHORIZATION_FAILED.code());
        assertThat(join("a", "open").data().errorCode()).isZero();
        authorizer.deny(EnumSet.complementOf(EnumSet.of(Operation.DESCRIBE)));
        assertThat(join("a", "open", "secret").data().errorCode()).isZero();
    }

    @Test
    void aGroupIsDescribedToThoseWhoMayDescribeItsTopics() {
        join("of-open", "open");
        join("of-secret", "secret");
        assertThat(describe("of-open", "of-secret").values())
                .allSatisfy(group -> assertThat(group.members()).hasSize(1));

        authorizer.deny(EnumSet.of(Operation.DESCRIBE));
        Map<String, DescribedGroup> described = describe("of-open", "of-secret");

        assertThat(Objects.requireNonNull(described.get("of-open")).members()).hasSize(1);
        DescribedGroup hidden = Objects.requireNonNull(described.get("of-secret"));
        assertThat(hidden.errorCode()).isEqualTo(Errors.TOPIC_AUTHORIZATION_FAILED.code());
        assertThat(hidden.members()).isEmpty();
        authorizer.deny(Set.of());
    }
}
