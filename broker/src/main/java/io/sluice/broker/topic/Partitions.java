package io.sluice.broker.topic;

import io.sluice.broker.log.PartitionLog;
import org.jspecify.annotations.Nullable;

/** From a topic's partition to its log. Any thread; a map look-up, fit for the hot path. */
public interface Partitions {
    /** Null if this process does not serve the partition's container now, or the topic or partition does not exist. */
    @Nullable
    PartitionLog find(TopicName topic, int partition);

    /** As {@link #find}, for a placement already at hand. */
    @Nullable
    PartitionLog find(Topic.Placement placement);
}
