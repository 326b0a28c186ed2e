package io.sluice.kafka.coordinator.handler;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.LeasedPartitions;
import io.sluice.broker.TestBroker;
import io.sluice.broker.cluster.SingleNode;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.coordinator.GroupCoordinators;
import io.sluice.kafka.coordinator.GroupSettings;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.common.message.ConsumerGroupDescribeRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData.MemberIdentity;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ListGroupsResponse;
import org.apache.kafka.common.requests.OffsetFetchResponse;
import org.apache.kafka.common.utils.Time;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A coordinator of groups whose lease has run out, which has not been told yet: another node may have committed since. */
@Timeout(60)
class LostGroupLeaseTest {
    private final TestBroker broker = TestBroker.start();
    private final LeasedPartitions partitions = new LeasedPartitions(broker.partitions());
    private GroupCoordinators groups;
    private Map<ApiKeys, ApiHandler> handlers;

    @BeforeEach
    void start() throws Exception {
        broker.createTopic("t", 1);
        KafkaServices services = new KafkaServices(
                broker.catalogue(),
                partitions,
                () -> 1,
                Runnable::run,
                System::currentTimeMillis,
                new SingleNode("cluster", 7));
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

    private Errors ask(ApiKeys api, int version, ApiMessage request) {
        var counts = Asked.ask(handler(api), version, request).errorCounts();
        assertThat(counts).as("%s", api).hasSize(1);
        return counts.keySet().iterator().next();
    }

    private Errors commit() {
        return ask(
                ApiKeys.OFFSET_COMMIT,
                8,
                new OffsetCommitRequestData()
                        .setGroupId("g")
                        .setTopics(List.of(new OffsetCommitRequestTopic()
                                .setName("t")
                                .setPartitions(List.of(new OffsetCommitRequestPartition().setCommittedOffset(5))))));
    }

    private long fetch() {
        var request = new OffsetFetchRequestData()
                .setGroups(List.of(new OffsetFetchRequestGroup()
                        .setGroupId("g")
                        .setTopics(List.of(
                                new OffsetFetchRequestTopics().setName("t").setPartitionIndexes(List.of(0))))));
        var group = ((OffsetFetchResponse) Asked.ask(handler(ApiKeys.OFFSET_FETCH), 8, request))
                .data()
                .groups()
                .getFirst();
        if (group.errorCode() != 0) {
            assertThat(Errors.forCode(group.errorCode())).isEqualTo(Errors.NOT_COORDINATOR);
            return -2;
        }
        return group.topics().getFirst().partitions().getFirst().committedOffset();
    }

    private List<String> list() {
        var listed = (ListGroupsResponse) Asked.ask(handler(ApiKeys.LIST_GROUPS), 4, new ListGroupsRequestData());
        return listed.data().groups().stream().map(group -> group.groupId()).toList();
    }

    @Test
    void answersNothingOfWhatItRemembers() {
        assertThat(commit()).isEqualTo(Errors.NONE);
        assertThat(fetch()).isEqualTo(5);
        assertThat(list()).containsExactly("g");

        partitions.leaseHeld(false);
        assertThat(fetch()).isEqualTo(-2);
        assertThat(list()).isEmpty();
        assertThat(commit()).isEqualTo(Errors.NOT_COORDINATOR);
        Map<ApiKeys, ApiMessage> requests = Map.of(
                ApiKeys.DESCRIBE_GROUPS, new DescribeGroupsRequestData().setGroups(List.of("g")),
                ApiKeys.CONSUMER_GROUP_DESCRIBE, new ConsumerGroupDescribeRequestData().setGroupIds(List.of("g")),
                ApiKeys.DELETE_GROUPS, new DeleteGroupsRequestData().setGroupsNames(List.of("g")),
                ApiKeys.HEARTBEAT, new HeartbeatRequestData().setGroupId("g").setMemberId("m"),
                ApiKeys.JOIN_GROUP, new JoinGroupRequestData().setGroupId("g").setMemberId("m"),
                ApiKeys.SYNC_GROUP, new SyncGroupRequestData().setGroupId("g").setMemberId("m"),
                ApiKeys.CONSUMER_GROUP_HEARTBEAT,
                        new ConsumerGroupHeartbeatRequestData().setGroupId("g").setMemberId("m"));
        requests.forEach(
                (api, request) -> assertThat(ask(api, 0, request)).as("%s", api).isEqualTo(Errors.NOT_COORDINATOR));
        assertThat(ask(
                        ApiKeys.LEAVE_GROUP,
                        4,
                        new LeaveGroupRequestData()
                                .setGroupId("g")
                                .setMembers(List.of(new MemberIdentity().setMemberId("m")))))
                .isEqualTo(Errors.NOT_COORDINATOR);

        partitions.leaseHeld(true);
        assertThat(fetch()).isEqualTo(5);
        assertThat(list()).containsExactly("g");
    }
}
