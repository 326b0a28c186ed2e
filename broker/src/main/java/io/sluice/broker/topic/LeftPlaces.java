package io.sluice.broker.topic;

import io.sluice.broker.container.LocalOperations;
import io.sluice.broker.log.SegmentPlace;
import io.sluice.broker.log.open.OpenPartitions;
import io.sluice.broker.log.open.OpenPartitions.Leaving;
import io.sluice.store.segment.Containers;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets places forget the state of partitions that went on elsewhere, where the move itself could not see to it. What is owed stands in the
 * containers' logs: a segment that is sealed and has not forgotten. Blocking; safe to cut off anywhere. One thread at a time.
 */
public final class LeftPlaces {
    private static final Logger LOG = LoggerFactory.getLogger(LeftPlaces.class);

    private final TopicCatalogue catalogue;
    private final Containers containers;
    private final OpenPartitions open;
    private final PartitionMover mover;

    public LeftPlaces(TopicCatalogue catalogue, Containers containers, OpenPartitions open) {
        this.catalogue = catalogue;
        this.containers = containers;
        this.open = open;
        this.mover = new PartitionMover(new LocalOperations(containers));
    }

    /** Asks those that are served here. Gives how many places are left for the next round. */
    public int round() {
        int left = 0;
        for (Leaving each : open.leaving()) {
            if (hasLeft(each)) {
                left += tryForget(each) ? 0 : 1;
            }
        }
        return left;
    }

    /** Whether clients find the partition elsewhere: then it has arrived there, safe from every failure. */
    private boolean hasLeft(Leaving each) {
        Topic topic = catalogue.find(each.topicId());
        return topic != null
                && each.partition() < topic.partitions().size()
                && topic.partitions().get(each.partition()).segment() != each.segment();
    }

    private boolean tryForget(Leaving each) {
        if (containers.serving(each.container()) == null) {
            return false;
        }
        try {
            mover.forget(List.of(new SegmentPlace(each.container(), each.segment())));
            return true;
        } catch (TopicException e) {
            LOG.warn("Segment {} keeps the state of what it has left for now: {}", each.segment(), e.getMessage());
        } catch (RuntimeException e) {
            LOG.error("Segment {} keeps the state of what it has left for now", each.segment(), e);
        }
        return false;
    }
}
