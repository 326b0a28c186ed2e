package io.sluice.kafka.share;

import io.sluice.broker.access.Operation;
import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.cluster.Endpoint;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.NamedLeaders;
import io.sluice.kafka.api.PartitionLeader;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.api.TopicLookup;
import io.sluice.kafka.wire.LogRecords;
import java.util.List;
import org.apache.kafka.common.message.ShareAcknowledgeResponseData;
import org.apache.kafka.common.message.ShareAcknowledgeResponseData.ShareAcknowledgeTopicResponse;
import org.apache.kafka.common.message.ShareFetchResponseData;
import org.apache.kafka.common.message.ShareFetchResponseData.AcquiredRecords;
import org.apache.kafka.common.message.ShareFetchResponseData.ShareFetchableTopicResponse;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.jspecify.annotations.Nullable;

/** Makes the answers to a member's requests, with the leaders of partitions that are not here. For one thread. */
final class ShareAnswer {
    private final KafkaServices services;
    private final RequestContext context;
    private final NamedLeaders leaders;
    /** Version of clients' rights when the partitions were looked up. */
    private final long rights;

    ShareAnswer(KafkaServices services, RequestContext context) {
        this.services = services;
        this.context = context;
        this.leaders = new NamedLeaders(services, context.connection(), Operation.READ);
        this.rights = services.access().version();
    }

    ShareFetchResponseData fetched(List<SharePart> parts, int lockMillis) {
        var answer = new ShareFetchResponseData().setAcquisitionLockTimeoutMs(lockMillis);
        denyWhatMayNotBeReadNow(parts);
        for (SharePart part : parts) {
            if (!part.hasNews()) {
                continue;
            }
            ShareFetchableTopicResponse topic =
                    answer.responses().find(part.place().topicId());
            if (topic == null) {
                topic = new ShareFetchableTopicResponse()
                        .setTopicId(part.place().topicId());
                answer.responses().add(topic);
            }
            topic.partitions().add(partition(part));
        }
        for (ClusterNode node : leaders.nodes()) {
            Endpoint endpoint = leaders.endpoint(node);
            answer.nodeEndpoints()
                    .add(new ShareFetchResponseData.NodeEndpoint()
                            .setNodeId(node.id())
                            .setHost(endpoint.host())
                            .setPort(endpoint.port())
                            .setRack(KafkaServices.rackOf(node)));
        }
        return answer;
    }

    private ShareFetchResponseData.PartitionData partition(SharePart part) {
        var data = new ShareFetchResponseData.PartitionData()
                .setPartitionIndex(part.place().partition())
                .setErrorCode(part.error().code())
                .setErrorMessage(message(part.error()))
                .setAcknowledgeErrorCode(part.ackError().code())
                .setAcknowledgeErrorMessage(message(part.ackError()))
                .setRecords(part.pieces().isEmpty() ? MemoryRecords.EMPTY : new LogRecords(part.pieces(), part.bytes()))
                .setAcquiredRecords(part.acquired().stream()
                        .map(each -> new AcquiredRecords()
                                .setFirstOffset(each.first())
                                .setLastOffset(each.last())
                                .setDeliveryCount((short) Math.min(each.count(), Short.MAX_VALUE)))
                        .toList());
        PartitionLeader leader = leader(part);
        if (leader != null) {
            data.currentLeader().setLeaderId(leader.id()).setLeaderEpoch(leader.epoch());
        }
        return data;
    }

    ShareAcknowledgeResponseData acknowledged(List<SharePart> parts, int lockMillis) {
        var answer = new ShareAcknowledgeResponseData().setAcquisitionLockTimeoutMs(lockMillis);
        for (SharePart part : parts) {
            ShareAcknowledgeTopicResponse topic =
                    answer.responses().find(part.place().topicId());
            if (topic == null) {
                topic = new ShareAcknowledgeTopicResponse()
                        .setTopicId(part.place().topicId());
                answer.responses().add(topic);
            }
            var data = new ShareAcknowledgeResponseData.PartitionData()
                    .setPartitionIndex(part.place().partition())
                    .setErrorCode(part.ackError().code())
                    .setErrorMessage(message(part.ackError()));
            PartitionLeader leader = leader(part);
            if (leader != null) {
                data.currentLeader().setLeaderId(leader.id()).setLeaderEpoch(leader.epoch());
            }
            topic.partitions().add(data);
        }
        for (ClusterNode node : leaders.nodes()) {
            Endpoint endpoint = leaders.endpoint(node);
            answer.nodeEndpoints()
                    .add(new ShareAcknowledgeResponseData.NodeEndpoint()
                            .setNodeId(node.id())
                            .setHost(endpoint.host())
                            .setPort(endpoint.port())
                            .setRack(KafkaServices.rackOf(node)));
        }
        return answer;
    }

    private static @Nullable String message(Errors error) {
        return error == Errors.NONE ? null : error.message();
    }

    private @Nullable PartitionLeader leader(SharePart part) {
        boolean elsewhere =
                part.error() == Errors.NOT_LEADER_OR_FOLLOWER || part.ackError() == Errors.NOT_LEADER_OR_FOLLOWER;
        return elsewhere ? leaders.find("", part.place().topicId(), part.place().partition()) : null;
    }

    /** It may have waited for a while since the client's rights were looked at. */
    private void denyWhatMayNotBeReadNow(List<SharePart> parts) {
        if (services.access().version() == rights) {
            return;
        }
        for (SharePart part : parts) {
            if (services.access()
                            .find(
                                    context.principal(),
                                    Operation.READ,
                                    part.place().topicId())
                    instanceof TopicLookup.Denied) {
                part.deny();
            }
        }
    }
}
