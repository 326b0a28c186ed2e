package io.sluice.kafka.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.DirectoryId;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.metadata.LeaderRecoveryState;
import org.apache.kafka.metadata.PartitionRegistration;
import org.junit.jupiter.api.Test;

/** It says what a map with an entry for each partition says. */
class EqualPartitionsTest {
    private final PartitionRegistration each = new PartitionRegistration.Builder()
            .setReplicas(new int[] {1})
            .setDirectories(new Uuid[] {DirectoryId.UNASSIGNED})
            .setIsr(new int[] {1})
            .setLeader(1)
            .setLeaderRecoveryState(LeaderRecoveryState.RECOVERED)
            .setLeaderEpoch(0)
            .setPartitionEpoch(0)
            .build();

    @Test
    void saysWhatAMapOfThemSays() {
        Map<Integer, PartitionRegistration> plain = new HashMap<>();
        for (int partition = 0; partition < 64; partition++) {
            plain.put(partition, each);
        }
        var partitions = new EqualPartitions(64, each);

        assertThat(partitions).isEqualTo(plain).hasSameHashCodeAs(plain).hasSize(64);
        assertThat(plain).isEqualTo(partitions);
        assertThat(new HashMap<>(partitions)).isEqualTo(plain);
        assertThat(partitions.keySet()).isEqualTo(plain.keySet());
        assertThat(partitions.get(63)).isSameAs(each);
        assertThat(partitions.get(64)).isNull();
        assertThat(partitions.get(-1)).isNull();
        assertThat(partitions).doesNotContainKey(64);
    }
}
