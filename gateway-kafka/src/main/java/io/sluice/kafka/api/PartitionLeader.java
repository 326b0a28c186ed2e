package io.sluice.kafka.api;

import java.util.List;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.MetadataResponse;

/**
 * A partition's leader as clients are told: the owner of its container.
 *
 * @param id broker id; -1 if there is none now, which {@code error} says too
 * @param epoch -1 if it is not known here
 * @param replicas the owner, also while it does not serve yet; copies are kept by the log, not by brokers
 */
public record PartitionLeader(int id, int epoch, List<Integer> replicas, Errors error) {
    private static final int NO_EPOCH = -1;

    static PartitionLeader here(int id, int epoch) {
        return new PartitionLeader(id, epoch, List.of(id), Errors.NONE);
    }

    static PartitionLeader elsewhere(int id) {
        return new PartitionLeader(id, NO_EPOCH, List.of(id), Errors.NONE);
    }

    static PartitionLeader notYet(int owner) {
        return none(List.of(owner));
    }

    static PartitionLeader unknown() {
        return none(List.of());
    }

    private static PartitionLeader none(List<Integer> replicas) {
        return new PartitionLeader(MetadataResponse.NO_LEADER_ID, NO_EPOCH, replicas, Errors.LEADER_NOT_AVAILABLE);
    }
}
