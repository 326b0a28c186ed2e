package io.sluice.kafka.coordinator;

import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.apache.kafka.common.network.ClientInformation;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.common.utils.internals.BufferSupplier;

/** Asks the coordinator what a client would ask, without a wire between them. */
record GroupClient(GroupCoordinators groups) {
    static RequestContext context(ApiKeys api) {
        return new RequestContext(
                new RequestHeader(api, api.latestVersion(), "client", 1),
                "connection",
                InetAddress.getLoopbackAddress(),
                KafkaPrincipal.ANONYMOUS,
                new ListenerName("PLAINTEXT"),
                SecurityProtocol.PLAINTEXT,
                ClientInformation.EMPTY,
                false);
    }

    CompletableFuture<Errors> commitLater(String group, String topic, int partition, long offset) {
        var request = new OffsetCommitRequestData()
                .setGroupId(group)
                .setTopics(List.of(new OffsetCommitRequestData.OffsetCommitRequestTopic()
                        .setName(topic)
                        .setPartitions(List.of(new OffsetCommitRequestData.OffsetCommitRequestPartition()
                                .setPartitionIndex(partition)
                                .setCommittedOffset(offset)))));
        return groups.service()
                .commitOffsets(context(ApiKeys.OFFSET_COMMIT), request, BufferSupplier.NO_CACHING)
                .thenApply(GroupClient::errorOf);
    }

    private static Errors errorOf(OffsetCommitResponseData response) {
        return Errors.forCode(
                response.topics().getFirst().partitions().getFirst().errorCode());
    }

    Errors commit(String group, String topic, int partition, long offset) {
        return get(commitLater(group, topic, partition, offset));
    }

    /** -1 if none is committed; -2 if the coordinator does not answer for the group now. */
    long fetch(String group, String topic, int partition) {
        OffsetFetchResponseGroup fetched = get(groups.service()
                .fetchOffsets(
                        context(ApiKeys.OFFSET_FETCH),
                        new OffsetFetchRequestData.OffsetFetchRequestGroup()
                                .setGroupId(group)
                                .setTopics(List.of(new OffsetFetchRequestData.OffsetFetchRequestTopics()
                                        .setName(topic)
                                        .setPartitionIndexes(List.of(partition)))),
                        true));
        return fetched.errorCode() != 0
                ? -2
                : fetched.topics().getFirst().partitions().getFirst().committedOffset();
    }

    static ConsumerGroupHeartbeatRequestData joining(String group, Uuid member) {
        return new ConsumerGroupHeartbeatRequestData()
                .setGroupId(group)
                .setMemberId(member.toString())
                .setMemberEpoch(0)
                .setRebalanceTimeoutMs(60_000)
                .setTopicPartitions(List.of());
    }

    /** Member of a group of the classic protocol that is its leader; it asks for nothing any more. */
    String joinClassic(String group, Duration session) {
        var protocol = new JoinGroupRequestData.JoinGroupRequestProtocol()
                .setName("range")
                .setMetadata(new byte[0]);
        var request = new JoinGroupRequestData()
                .setGroupId(group)
                .setProtocolType("consumer")
                .setProtocols(new JoinGroupRequestData.JoinGroupRequestProtocolCollection(
                        List.of(protocol).iterator()))
                .setSessionTimeoutMs((int) session.toMillis())
                .setRebalanceTimeoutMs((int) session.toMillis());
        String given = join(request).memberId();
        return join(request.setMemberId(given)).leader();
    }

    private JoinGroupResponseData join(JoinGroupRequestData request) {
        return get(groups.service().joinGroup(context(ApiKeys.JOIN_GROUP), request, BufferSupplier.NO_CACHING));
    }

    ConsumerGroupHeartbeatResponseData heartbeat(ConsumerGroupHeartbeatRequestData request) {
        return get(groups.service().consumerGroupHeartbeat(context(ApiKeys.CONSUMER_GROUP_HEARTBEAT), request));
    }

    Errors delete(String group) {
        return Errors.forCode(get(groups.service()
                        .deleteGroups(context(ApiKeys.DELETE_GROUPS), List.of(group), BufferSupplier.NO_CACHING))
                .iterator()
                .next()
                .errorCode());
    }

    static <T> T get(CompletableFuture<T> future) {
        try {
            return future.get(20, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
