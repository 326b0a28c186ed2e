package io.sluice.broker.topic;

import io.sluice.broker.container.ContainerOperations;
import io.sluice.broker.log.SegmentPlace;
import io.sluice.broker.topic.Topic.Placement;
import io.sluice.broker.topic.TopicException.Reason;
import io.sluice.broker.topic.TopicRecord.Move;
import io.sluice.broker.topic.TopicStore.Stored;
import io.sluice.store.cluster.Metadata;
import io.sluice.store.segment.Containers;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves partitions to other containers: the topic's record names the move before anything is done, so that what a crash cuts short is
 * undone or finished. Blocking; under the topic's lock.
 */
final class PartitionMoves {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionMoves.class);

    /** Terms that may begin where unmade partitions were, from the look at its term until all clients are told of another place. */
    private static final int TERMS_MEANWHILE = 100;

    private final TopicStore store;
    private final Containers containers;
    private final ContainerOperations operations;
    private final SegmentsToDelete toDelete;
    private final PartitionMover mover;
    private final Placer placer;
    private final TopicDurability durability;
    private final SegmentIds segmentIds;
    private final ShownTopics shown;
    private final Consumer<Stored> tryFinish;

    /** @param tryFinish brings a record to rest, or leaves that to the next start */
    PartitionMoves(
            TopicStore store,
            Containers containers,
            ContainerOperations operations,
            SegmentsToDelete toDelete,
            Placer placer,
            TopicDurability durability,
            SegmentIds segmentIds,
            ShownTopics shown,
            Consumer<Stored> tryFinish) {
        this.store = store;
        this.containers = containers;
        this.toDelete = toDelete;
        this.operations = operations;
        this.mover = new PartitionMover(operations);
        this.placer = placer;
        this.durability = durability;
        this.segmentIds = segmentIds;
        this.shown = shown;
        this.tryFinish = tryFinish;
    }

    /** @throws TopicException the partition cannot go there */
    void check(Topic topic, int partition, int container) throws TopicException {
        if (partition < 0 || partition >= topic.partitions().size()) {
            throw new TopicException(Reason.NOT_FOUND, "topic " + topic.name() + " has no partition " + partition);
        }
        if (!containers.staying().contains(container)) {
            throw new TopicException(Reason.NOT_FOUND, "there is no container " + container);
        }
        for (int needed : List.of(topic.partitions().get(partition).container(), container)) {
            if (!operations.isServed(needed)) {
                throw TopicException.unavailable("container " + needed + " is not served now");
            }
        }
        if (containers.level(container) != durability.levelHere(topic)) {
            throw new TopicException(
                    Reason.INVALID_SETTING,
                    "topic " + topic.name() + " has durability " + durability.wanted(topic) + ", container " + container
                            + " has " + containers.level(container) + ": its partitions do not go there");
        }
    }

    /** Moves the topic's partitions to where they belong, if they are not there. */
    Stored bringHome(Stored stored) throws TopicException, IOException {
        Topic topic = stored.record().topic();
        List<Integer> astray = durability.astray(topic);
        if (astray.isEmpty()) {
            return stored;
        }
        int level = durability.ready(topic);
        Stored now = placeUnmadeAnew(stored, level);
        astray = durability.astray(now.record().topic());
        for (int done = 0; done < astray.size(); done++) {
            try {
                now = moveTo(now, astray.get(done), placer.choose(level));
            } catch (TopicException e) {
                throw new TopicException(
                        e.reason(),
                        "topic " + topic.name() + " is to be in containers of durability " + durability.wanted(topic)
                                + " that stay, but " + (astray.size() - done)
                                + " of its partitions have not moved there yet, which is tried again: "
                                + e.getMessage());
            }
        }
        return now;
    }

    /**
     * Gives those of the topic's partitions another place that nobody has made, since their container is to be removed: one write for all of
     * them. Clients have seen leader epochs there, and those to come are above them. The record is in a change before the containers are
     * asked which are unmade, so that nobody makes one of these afterwards, see {@link CurrentTopics}.
     */
    private Stored placeUnmadeAnew(Stored stored, int level) throws TopicException, IOException {
        Topic topic = stored.record().topic();
        if (!topic.isElastic()) {
            return stored;
        }
        Map<Integer, Integer> unmade = unmadeInLeaving(topic);
        if (unmade.isEmpty()) {
            return stored;
        }
        int to = placer.choose(level);
        long id = segmentIds.reserve(unmade.size());
        Move begun = new Move(unmade.keySet().iterator().next(), to, id);
        Stored intent = store.put(new TopicRecord(topic, topic.partitions().size(), false, begun), stored.version());
        try {
            return place(intent, unmadeInLeaving(topic), to, id);
        } catch (TopicException e) {
            tryFinish.accept(intent);
            throw e;
        }
    }

    private Map<Integer, Integer> unmadeInLeaving(Topic topic) throws TopicException {
        Map<Integer, Integer> unmade = new TreeMap<>();
        for (int container : containers.all()) {
            if (!containers.staying().contains(container)) {
                unmade.putAll(mover.unmade(topic, container));
            }
        }
        return unmade;
    }

    private Stored place(Stored intent, Map<Integer, Integer> unmade, int to, long firstId)
            throws TopicException, IOException {
        Topic topic = intent.record().topic();
        long term = mover.term(to);
        long id = firstId;
        List<Placement> placements = new ArrayList<>(topic.partitions());
        for (Map.Entry<Integer, Integer> each : unmade.entrySet()) {
            int above = Math.toIntExact(Math.max(0, each.getValue() + 1 + TERMS_MEANWHILE - term));
            placements.set(each.getKey(), new Placement(to, id++, above));
        }
        Stored done = store.put(TopicRecord.of(topic.withPartitions(placements)), intent.version());
        shown.show(done);
        shown.changed(topic.name(), done.record().topic());
        return done;
    }

    /** Moves it there, where it belongs. */
    Stored moveTo(Stored stored, int partition, int container) throws TopicException, IOException {
        Topic topic = stored.record().topic();
        Move move = new Move(partition, container, segmentIds.reserve(1));
        Stored intent = store.put(new TopicRecord(topic, topic.partitions().size(), false, move), stored.version());
        try {
            mover.prepare(topic, move);
            return carry(intent);
        } catch (TopicException e) {
            if (!store.isStill(intent)) {
                // Whoever took this process for dead may have undone the move, before the partition left its place or
                // after: made again.
                throw new Metadata.VersionMismatch("another node has ended the move of topic " + topic.name());
            }
            tryFinish.accept(intent);
            throw e;
        }
    }

    /** From the seal in the old place to the new one being shown: clients wait meanwhile. */
    private Stored carry(Stored intent) throws TopicException, IOException {
        TopicRecord record = intent.record();
        Move move = Objects.requireNonNull(record.move());
        Topic topic = record.topic();
        Placement from = topic.partitions().get(move.partition());
        long begin = System.nanoTime();
        TopicRecord moved = record.moved(mover.carry(topic, move));
        Stored done = store.put(moved, intent.version());
        shown.show(done);
        LOG.info(
                "Partition {} of topic {} has moved from container {} to container {} in {} ms",
                move.partition(),
                topic.name(),
                from.container(),
                move.container(),
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin));
        shown.changed(topic.name(), moved.topic());
        forget(topic, from);
        return done;
    }

    /** Has the place just left forget the partition; {@link LeftPlaces} does what fails. */
    private void forget(Topic topic, Placement left) {
        try {
            mover.forget(List.of(new SegmentPlace(left.container(), left.segment())));
        } catch (TopicException | RuntimeException e) {
            LOG.warn("A place that topic {} has left keeps its state for now: {}", topic.name(), e.toString());
        }
    }

    /** Undoes a move that was cut short, or finishes it once there is no way back. */
    Stored settle(Stored stored) throws TopicException, IOException {
        TopicRecord record = stored.record();
        Move move = Objects.requireNonNull(record.move());
        if (mover.hasBegun(record.topic().partitions().get(move.partition()))) {
            mover.prepare(record.topic(), move);
            return carry(stored);
        }
        toDelete.delete(List.of(new SegmentPlace(move.container(), move.segment())));
        return store.put(TopicRecord.of(record.topic()), stored.version());
    }
}
