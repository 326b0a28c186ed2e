package io.sluice.broker.topic;

import io.sluice.broker.topic.Topic.Placement;
import io.sluice.store.segment.Containers;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** Chooses containers for new partitions: the one with the fewest first. Any thread. */
final class Placer {
    private final Containers containers;
    private final IntPredicate served;
    private final Map<UUID, List<Placement>> byTopic = new HashMap<>();
    private final Map<Integer, Integer> partitions = new HashMap<>();

    /** @param served whether a node that is alive serves the container */
    Placer(Containers containers, IntPredicate served) {
        this.containers = containers;
        this.served = served;
    }

    /** Counts what the topic has, in place of what was counted for it before: of an elastic one each container once. */
    synchronized void set(Topic topic) {
        List<Placement> all = topic.partitions();
        if (topic.isElastic()) {
            Map<Integer, Placement> containers = new HashMap<>();
            all.forEach(placement -> containers.put(placement.container(), placement));
            all = List.copyOf(containers.values());
        }
        set(topic.id(), all);
    }

    private void set(UUID topic, List<Placement> placements) {
        count(byTopic.put(topic, placements), -1);
        count(placements, 1);
    }

    /** The topic is gone. */
    synchronized void forget(UUID topic) {
        count(byTopic.remove(topic), -1);
    }

    private void count(@Nullable List<Placement> placements, int each) {
        if (placements != null) {
            placements.forEach(p -> partitions.merge(p.container(), each, Integer::sum));
        }
    }

    /** How many partitions are placed there, or are about to be; of an elastic topic all together are one. */
    synchronized int placedIn(int container) {
        return partitions.getOrDefault(container, 0);
    }

    /**
     * Places {@code count} partitions more in one container, and counts it once: most of them may never be made.
     *
     * @param level of durability of the containers
     * @param near containers of the level that are preferred where there are any
     * @return the existing ones and the new ones
     * @throws TopicException UNAVAILABLE if no container is served
     */
    synchronized List<Placement> placeTogether(
            UUID topic, List<Placement> existing, int count, long firstSegment, int level, IntPredicate near)
            throws TopicException {
        int container =
                place(topic, List.of(), 1, firstSegment, level, near).getFirst().container();
        List<Placement> placed = new ArrayList<>(existing);
        for (int i = 0; i < count; i++) {
            placed.add(new Placement(container, firstSegment + i));
        }
        return List.copyOf(placed);
    }

    /**
     * Places {@code count} partitions more with the segments from {@code firstSegment} on, and counts them.
     *
     * @param existing the topic's partitions so far
     * @param level of durability of the containers
     * @param near containers of the level that are preferred where there are any
     * @return the existing ones and the new ones
     * @throws TopicException UNAVAILABLE if no container is served
     */
    synchronized List<Placement> place(
            UUID topic, List<Placement> existing, int count, long firstSegment, int level, IntPredicate near)
            throws TopicException {
        List<Integer> serving = preferred(serving(level), near);
        List<Placement> placed = new ArrayList<>(existing);
        set(topic, existing);
        for (int i = 0; i < count; i++) {
            int container = serving.stream().min(fewest()).orElseThrow();
            partitions.merge(container, 1, Integer::sum);
            placed.add(new Placement(container, firstSegment + i));
        }
        List<Placement> all = List.copyOf(placed);
        byTopic.put(topic, all);
        return all;
    }

    private static List<Integer> preferred(List<Integer> serving, IntPredicate near) {
        List<Integer> nearby = serving.stream().filter(near::test).toList();
        return nearby.isEmpty() ? serving : nearby;
    }

    /** The container of the level with the fewest partitions. */
    synchronized int choose(int level) throws TopicException {
        return serving(level).stream().min(fewest()).orElseThrow();
    }

    private Comparator<Integer> fewest() {
        return Comparator.comparingInt(id -> partitions.getOrDefault(id, 0));
    }

    private List<Integer> serving(int level) throws TopicException {
        List<Integer> serving =
                containers.staying(level).stream().filter(served::test).toList();
        if (serving.isEmpty()) {
            throw TopicException.unavailable("no container of level of durability " + level + " is served yet");
        }
        return serving;
    }
}
