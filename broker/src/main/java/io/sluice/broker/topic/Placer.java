package io.sluice.broker.topic;

import io.sluice.broker.topic.Topic.Placement;
import io.sluice.store.segment.Containers;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Chooses containers for new partitions: the one with the fewest first. Any thread. */
final class Placer {
    private final Containers containers;
    private final Map<Integer, Integer> partitions = new HashMap<>();

    Placer(Containers containers) {
        this.containers = containers;
    }

    /** Counts partitions that are there or will be. */
    synchronized void added(List<Placement> placements) {
        placements.forEach(p -> partitions.merge(p.container(), 1, Integer::sum));
    }

    synchronized void removed(List<Placement> placements) {
        placements.forEach(p -> partitions.merge(p.container(), -1, Integer::sum));
    }

    /**
     * Places {@code count} partitions with the segments from {@code firstSegment} on, and counts them.
     *
     * @throws TopicException UNAVAILABLE if no container is served
     */
    synchronized List<Placement> place(int count, long firstSegment) throws TopicException {
        List<Integer> serving = containers.all().stream()
                .filter(id -> containers.serving(id) != null)
                .toList();
        if (serving.isEmpty()) {
            throw PartitionSegments.unavailable("no container is served yet");
        }
        Comparator<Integer> fewest = Comparator.comparingInt(id -> partitions.getOrDefault(id, 0));
        List<Placement> placed = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            int container = serving.stream().min(fewest).orElseThrow();
            partitions.merge(container, 1, Integer::sum);
            placed.add(new Placement(container, firstSegment + i));
        }
        return placed;
    }
}
