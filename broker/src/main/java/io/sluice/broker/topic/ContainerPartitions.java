package io.sluice.broker.topic;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.open.OpenPartitions;
import io.sluice.store.segment.Containers;
import io.sluice.store.segment.SegmentContainer;
import org.jspecify.annotations.Nullable;

/** Partitions of the containers served here: two or three look-ups without a lock. */
public final class ContainerPartitions implements Partitions {
    private final TopicCatalogue catalogue;
    private final Containers containers;
    private final OpenPartitions open;
    private final UnmadePartition.Shared unmade;

    public ContainerPartitions(TopicCatalogue catalogue, Containers containers, OpenPartitions open) {
        this.catalogue = catalogue;
        this.containers = containers;
        this.open = open;
        this.unmade = new UnmadePartition.Shared(catalogue, open, new UnmadeWaiters(), containers);
    }

    @Override
    public @Nullable PartitionLog find(TopicName name, int partition) {
        Topic topic = catalogue.find(name);
        if (topic == null) {
            return null;
        }
        return partition < 0 || partition >= topic.partitions().size() ? null : find(topic, partition);
    }

    @Override
    public @Nullable PartitionLog find(Topic topic, int partition) {
        Topic.Placement placement = topic.partitions().get(partition);
        PartitionLog log = find(placement);
        if (log != null || !topic.isElastic() || !placement.isWhereItBegan()) {
            return log;
        }
        SegmentContainer serving = containers.serving(placement.container());
        return serving == null || open.find(placement.segment()) != null
                ? null
                : new UnmadePartition(topic, partition, serving, unmade);
    }

    @Override
    public @Nullable PartitionLog find(Topic.Placement placement) {
        PartitionLog log = open.find(placement.segment());
        if (log == null) {
            return null;
        }
        // While a container recovers its partitions are open already; they are found once that term serves.
        SegmentContainer serving = containers.serving(placement.container());
        return serving != null && serving.term() == log.container().term() ? log : null;
    }
}
