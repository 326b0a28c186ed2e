package io.sluice.broker.topic;

import io.sluice.broker.log.PartitionLog;
import org.jspecify.annotations.Nullable;

/** From a topic's partition to its log. Any thread; a map look-up, fit for the hot path. */
public interface Partitions {
    /** Null if this process does not serve the partition's container now, or the topic or partition does not exist. */
    @Nullable
    PartitionLog find(TopicName topic, int partition);

    /** As {@link #find}, of a partition that the topic has; for who may write to it. */
    default @Nullable PartitionLog find(Topic topic, int partition) {
        return find(topic.partitions().get(partition));
    }

    /** As {@link #find}, for a placement already at hand; null also if the partition's segment is not made yet. */
    @Nullable
    PartitionLog find(Topic.Placement placement);
}
