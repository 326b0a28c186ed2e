package io.sluice.broker.topic;

import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * A topic as the catalogue holds it; one metadata record.
 *
 * @param id never reused, also not after delete and re-create; Kafka's topic id
 * @param partitioned false for a Pulsar non-partitioned topic, which is a Kafka topic of one partition
 * @param partitions by partition number; at least one
 * @param settings per-topic settings by their Kafka names (retention.ms, ...); only what was set explicitly
 * @param internal kept by the system for itself (group offsets)
 * @param createdAt milliseconds since the epoch
 */
public record Topic(
        TopicName name,
        UUID id,
        boolean partitioned,
        List<Placement> partitions,
        Map<String, String> settings,
        boolean internal,
        long createdAt) {

    public Topic {
        partitions = List.copyOf(partitions);
        settings = Map.copyOf(settings);
    }

    /**
     * Where a partition lives.
     *
     * @param partitionId see {@code PartitionLog.partitionId}; the partition's first segment has it as its id
     */
    public record Placement(int container, long partitionId) {}
}
