package io.sluice.broker.compaction;

import io.sluice.broker.log.PartitionAttributes;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.open.Companions.Companion;
import io.sluice.broker.topic.Topic;
import java.io.IOException;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has partitions that went on elsewhere take along what they have left in some containers, one after the other. Blocking; safe to cut off
 * anywhere; one thread. What fails is tried again in the next round.
 */
public final class GatherPartitions {
    private static final Logger log = LoggerFactory.getLogger(GatherPartitions.class);
    private static final int MOST_FAILED = 1_000;

    private final CompactionResources with;
    /** Partitions of which the last try failed: said once. */
    private final Set<String> failed = new HashSet<>();

    public GatherPartitions(CompactionResources with) {
        this.with = with;
    }

    /**
     * @param containers that are to hold nothing of partitions which are in other ones
     * @return bytes copied
     */
    public long round(Collection<Integer> containers) throws InterruptedException {
        Set<Long> haveCompanions = with.companions().all().stream()
                .filter(companion -> containers.contains(companion.container().id()))
                .map(Companion::partitionId)
                .collect(Collectors.toSet());
        long copied = 0;
        for (Topic topic : with.catalogue().all()) {
            for (int p = 0; p < topic.partitions().size(); p++) {
                Topic.Placement placement = topic.partitions().get(p);
                boolean mayLieThere = haveCompanions.contains(placement.partitionId())
                        || placement.earlier().stream().anyMatch(place -> containers.contains(place.container()));
                if (mayLieThere && !containers.contains(placement.container())) {
                    copied += gather(topic, p, placement);
                }
            }
        }
        return copied;
    }

    private long gather(Topic topic, int partition, Topic.Placement placement) throws InterruptedException {
        PartitionLog of = with.partitions().find(placement);
        if (of == null) {
            return 0; // not served now: the next round finds it
        }
        String name = topic.name() + "-" + partition;
        with.turn().lockInterruptibly();
        try {
            PartitionAttributes attributes =
                    new PartitionAttributes(topic.name().toString(), topic.id(), partition, of.partitionId());
            long copied = new GatherPartition(of, attributes, with).run();
            failed.remove(name);
            if (copied > 0) {
                log.info("Copied {} bytes of {} to container {}", copied, name, placement.container());
            }
            return copied;
        } catch (CompactionException | IOException | RuntimeException e) { // others come behind it
            if (failed.size() < MOST_FAILED && failed.add(name)) {
                log.warn("Could not copy {} to its container yet, which is tried again", name, e);
            }
            return 0;
        } finally {
            with.turn().unlock();
        }
    }
}
