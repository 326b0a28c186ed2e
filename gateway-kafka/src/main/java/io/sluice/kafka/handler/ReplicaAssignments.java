package io.sluice.kafka.handler;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableReplicaAssignmentCollection;
import org.jspecify.annotations.Nullable;

/**
 * Replicas that a client names by hand, checked by Kafka's rules. Nothing is placed by them: a partition lives in a
 * container and its copies in the log, whatever brokers are named. What is wrong is INVALID_REPLICA_ASSIGNMENT.
 */
final class ReplicaAssignments {
    private ReplicaAssignments() {}

    /**
     * Checks the assignment of a new topic: partitions 0, 1, 2, ... with equally many replicas.
     *
     * @param brokers those that clients are told of
     * @return null if it can be accepted
     */
    static @Nullable String whyNot(CreatableReplicaAssignmentCollection assignments, Set<Integer> brokers) {
        Map<Integer, List<Integer>> byPartition = new HashMap<>();
        int replicas = -1;
        for (var each : assignments) {
            if (byPartition.put(each.partitionIndex(), each.brokerIds()) != null) {
                return "Found multiple manual partition assignments for partition " + each.partitionIndex();
            }
            String why = whyNot(each.brokerIds(), brokers, replicas);
            if (why != null) {
                return why;
            }
            replicas = each.brokerIds().size();
        }
        for (int i = 0; i < byPartition.size(); i++) {
            if (!byPartition.containsKey(i)) {
                return "partitions should be a consecutive 0-based integer sequence";
            }
        }
        return null;
    }

    /**
     * Checks the assignment of partitions added to a topic.
     *
     * @param added how many there are to be
     * @param replicas of each partition that is there
     * @return null if it can be accepted
     */
    static @Nullable String whyNot(List<List<Integer>> assignments, int added, int replicas, Set<Integer> brokers) {
        if (assignments.size() != added) {
            return "Attempted to add " + added + " additional partition(s), but only " + assignments.size()
                    + " assignment(s) were specified.";
        }
        for (List<Integer> each : assignments) {
            String why = whyNot(each, brokers, replicas);
            if (why != null) {
                return why;
            }
        }
        return null;
    }

    /** @param expected number of replicas; -1 if any will do */
    private static @Nullable String whyNot(List<Integer> replicas, Set<Integer> brokers, int expected) {
        if (replicas.isEmpty()) {
            return "The manual partition assignment includes an empty replica list.";
        }
        Set<Integer> seen = new HashSet<>();
        for (int broker : replicas) {
            if (!brokers.contains(broker)) {
                return "The manual partition assignment includes broker " + broker
                        + ", but no such broker is registered.";
            }
            if (!seen.add(broker)) {
                return "The manual partition assignment includes the broker " + broker + " more than once.";
            }
        }
        return expected < 0 || replicas.size() == expected
                ? null
                : "The manual partition assignment includes a partition with " + replicas.size()
                        + " replica(s), but this is not consistent with previous partitions, which have " + expected
                        + " replica(s).";
    }
}
