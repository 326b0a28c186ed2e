package io.sluice.kafka.api;

import io.sluice.broker.cluster.ClusterNode;
import java.util.List;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.MetadataResponse;
import org.jspecify.annotations.Nullable;

/**
 * A partition's leader as clients are told: the owner of its container.
 *
 * @param node that clients can go to; null if there is none now, which {@code error} says too
 * @param epoch -1 if it is not known here
 * @param replicas the owner, also while it does not serve yet; copies are kept by the log, not by brokers
 */
public record PartitionLeader(@Nullable ClusterNode node, int epoch, List<Integer> replicas, Errors error) {
    private static final int NO_EPOCH = -1;

    static PartitionLeader known(ClusterNode node, int epoch) {
        return new PartitionLeader(node, epoch, List.of(node.id()), Errors.NONE);
    }

    /** The owner does not serve it yet, or does not listen yet. */
    static PartitionLeader notYet(ClusterNode owner) {
        return none(List.of(owner.id()));
    }

    static PartitionLeader unknown() {
        return none(List.of());
    }

    private static PartitionLeader none(List<Integer> replicas) {
        return new PartitionLeader(null, NO_EPOCH, replicas, Errors.LEADER_NOT_AVAILABLE);
    }

    /** Broker id; -1 if there is no leader now. */
    public int id() {
        return node == null ? MetadataResponse.NO_LEADER_ID : node.id();
    }
}
