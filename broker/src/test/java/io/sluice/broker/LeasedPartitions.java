package io.sluice.broker;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.Partitions;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import org.jspecify.annotations.Nullable;

/** Partitions of a node that are found while it holds its leases. */
public final class LeasedPartitions implements Partitions {
    private final Partitions all;
    private volatile boolean leaseHeld = true;

    public LeasedPartitions(Partitions all) {
        this.all = all;
    }

    /** False from the lease's end on, of which nobody has been told. */
    public void leaseHeld(boolean held) {
        leaseHeld = held;
    }

    @Override
    public @Nullable PartitionLog find(TopicName topic, int partition) {
        return leaseHeld ? all.find(topic, partition) : null;
    }

    @Override
    public @Nullable PartitionLog find(Topic.Placement placement) {
        return leaseHeld ? all.find(placement) : null;
    }
}
