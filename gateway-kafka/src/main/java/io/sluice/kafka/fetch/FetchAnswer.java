package io.sluice.kafka.fetch;

import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.cluster.Endpoint;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.NamedLeaders;
import io.sluice.kafka.api.PartitionLeader;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.NodeEndpoint;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/** Answer to one fetch: all partitions, or in an incremental session those of which there is news. */
final class FetchAnswer {
    /** First version in which the leader is named beside an error that tells the client to look for it (KIP-951). */
    static final short FIRST_WITH_LEADERS = 16;

    private final FetchPlan plan;
    private final short version;
    private final FetchResponseData message;
    private final List<FetchPartition> gaveData = new ArrayList<>();
    private FetchPartition.@Nullable Key previous;
    private List<PartitionData> ofTopic = new ArrayList<>();

    FetchAnswer(FetchPlan plan, short version) {
        this.plan = plan;
        this.version = version;
        FetchSession session = plan.session();
        this.message = new FetchResponseData()
                .setErrorCode(plan.error().code())
                .setSessionId(session == null ? 0 : session.id());
    }

    void add(FetchPartition partition) {
        if (!partition.tell(!plan.incremental())) {
            return;
        }
        FetchPartition.Key key = partition.key();
        FetchPartition.Key last = previous;
        if (last == null
                || !last.topicId().equals(key.topicId())
                || !last.topic().equals(key.topic())) {
            ofTopic = new ArrayList<>();
            message.responses()
                    .add(new FetchableTopicResponse()
                            .setTopic(key.topic())
                            .setTopicId(key.topicId())
                            .setPartitions(ofTopic));
        }
        previous = key;
        ofTopic.add(partition.answer(version));
        if (partition.bytesFound() > 0) {
            gaveData.add(partition);
        }
    }

    /** Whether the client must go to another leader, or learn of a new epoch, for one of the partitions. */
    boolean sendsElsewhere() {
        return message.responses().stream()
                .flatMap(topic -> topic.partitions().stream())
                .anyMatch(FetchAnswer::isSentElsewhere);
    }

    private static boolean isSentElsewhere(PartitionData partition) {
        return partition.errorCode() == Errors.NOT_LEADER_OR_FOLLOWER.code()
                || partition.errorCode() == Errors.FENCED_LEADER_EPOCH.code();
    }

    /** Says who leads the partitions for which the client must go elsewhere, as far as it is known. */
    void name(NamedLeaders leaders) {
        for (FetchableTopicResponse topic : message.responses()) {
            for (PartitionData partition : topic.partitions()) {
                PartitionLeader leader = isSentElsewhere(partition)
                        ? leaders.find(topic.topic(), topic.topicId(), partition.partitionIndex())
                        : null;
                if (leader != null) {
                    partition.currentLeader().setLeaderId(leader.id()).setLeaderEpoch(leader.epoch());
                }
            }
        }
        for (ClusterNode node : leaders.nodes()) {
            Endpoint endpoint = leaders.endpoint(node);
            message.nodeEndpoints()
                    .add(new NodeEndpoint()
                            .setNodeId(node.id())
                            .setHost(endpoint.host())
                            .setPort(endpoint.port())
                            .setRack(KafkaServices.rackOf(node)));
        }
    }

    /** In the order of the answer. */
    List<FetchPartition> gaveData() {
        return gaveData;
    }

    FetchResponseData message() {
        return message;
    }
}
