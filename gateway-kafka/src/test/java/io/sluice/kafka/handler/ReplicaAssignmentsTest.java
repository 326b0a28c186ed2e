package io.sluice.kafka.handler;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableReplicaAssignment;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableReplicaAssignmentCollection;
import org.junit.jupiter.api.Test;

/** What several brokers are needed to show. */
class ReplicaAssignmentsTest {
    private static final Set<Integer> BROKERS = Set.of(1, 2, 3);

    @Test
    void partitionsOfOneTopicHaveEquallyManyReplicas() {
        var topic = new CreatableReplicaAssignmentCollection();
        topic.add(new CreatableReplicaAssignment().setPartitionIndex(0).setBrokerIds(List.of(2, 1)));
        topic.add(new CreatableReplicaAssignment().setPartitionIndex(1).setBrokerIds(List.of(3, 2)));
        assertThat(ReplicaAssignments.whyNot(topic, BROKERS)).isNull();
        topic.add(new CreatableReplicaAssignment().setPartitionIndex(2).setBrokerIds(List.of(1)));
        assertThat(ReplicaAssignments.whyNot(topic, BROKERS)).contains("not consistent");
    }

    @Test
    void furtherPartitionsHaveAsManyReplicasAsThoseBefore() {
        assertThat(ReplicaAssignments.whyNot(List.of(List.of(1, 2), List.of(2, 3)), 2, 2, BROKERS))
                .isNull();
        assertThat(ReplicaAssignments.whyNot(List.of(List.of(1, 2), List.of(2)), 2, 2, BROKERS))
                .contains("not consistent");
    }
}
