package io.sluice.kafka.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.kafka.RawClient;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.DeleteGroupsResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests that no stock client sends. */
class OddGroupRequestsTest {
    private static final short HEARTBEAT = 0;
    private static final short FETCH = 9;
    private static final short JOIN = 3;
    private static final short DELETE = 2;

    private GroupServer server;
    private RawClient client;

    @BeforeEach
    void start() throws Exception {
        server = new GroupServer();
        server.broker().createTopic("t", 1);
        client = new RawClient(server.port());
    }

    @AfterEach
    void stop() throws Exception {
        client.close();
        server.close();
    }

    private void joinOnceLoaded() {
        await().untilAsserted(() -> {
            var request = GroupClient.joining("g", Uuid.randomUuid()).setSubscribedTopicNames(List.of("t"));
            var answer = new ConsumerGroupHeartbeatResponseData(
                    client.call(ApiKeys.CONSUMER_GROUP_HEARTBEAT, HEARTBEAT, request), HEARTBEAT);
            assertThat(answer.errorCode()).isZero();
        });
    }

    @Test
    void anEpochWithoutAMemberIsOfNoMember() throws Exception {
        joinOnceLoaded();
        var request = new OffsetFetchRequestData()
                .setGroups(List.of(new OffsetFetchRequestGroup()
                        .setGroupId("g")
                        .setMemberId(null)
                        .setMemberEpoch(2)
                        .setTopics(List.of(
                                new OffsetFetchRequestTopics().setName("t").setPartitionIndexes(List.of(0))))));

        var answer = new OffsetFetchResponseData(client.call(ApiKeys.OFFSET_FETCH, FETCH, request), FETCH);

        assertThat(Errors.forCode(answer.groups().getFirst().errorCode())).isEqualTo(Errors.UNKNOWN_MEMBER_ID);
    }

    @Test
    void aMemberThatNamesAProtocolTwiceIsAnswered() {
        var protocols = new JoinGroupRequestData.JoinGroupRequestProtocolCollection();
        protocols.mustAdd(new JoinGroupRequestData.JoinGroupRequestProtocol().setName("range"));
        protocols.mustAdd(new JoinGroupRequestData.JoinGroupRequestProtocol().setName("range"));
        var request = new JoinGroupRequestData()
                .setGroupId("g")
                .setProtocolType("consumer")
                .setProtocols(protocols)
                .setSessionTimeoutMs(10_000)
                .setRebalanceTimeoutMs(100);

        await().untilAsserted(() -> {
            var answer = new JoinGroupResponseData(client.call(ApiKeys.JOIN_GROUP, JOIN, request), JOIN);
            assertThat(Errors.forCode(answer.errorCode())).isEqualTo(Errors.INCONSISTENT_GROUP_PROTOCOL);
        });
    }

    @Test
    void aGroupThatIsNamedTwiceIsDeletedOnce() {
        var request = new DeleteGroupsRequestData().setGroupsNames(List.of("none", "none"));

        await().untilAsserted(() -> {
            var answer = new DeleteGroupsResponseData(client.call(ApiKeys.DELETE_GROUPS, DELETE, request), DELETE);
            assertThat(answer.results())
                    .extracting(each -> Errors.forCode(each.errorCode()))
                    .containsExactly(Errors.GROUP_ID_NOT_FOUND);
        });
    }
}
