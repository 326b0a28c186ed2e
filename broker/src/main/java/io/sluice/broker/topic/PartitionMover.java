package io.sluice.broker.topic;

import static io.sluice.broker.topic.ContainerAnswers.await;
import static java.util.stream.Collectors.toMap;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.log.PartitionAttributes;
import io.sluice.broker.log.SegmentKinds;
import io.sluice.broker.log.SegmentPlace;
import io.sluice.broker.log.open.Handover;
import io.sluice.broker.topic.Topic.Placement;
import io.sluice.broker.topic.TopicRecord.Move;
import io.sluice.store.segment.Containers;
import io.sluice.store.segment.SegmentContainer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Carries out the steps of a move in the containers, see {@link Handover}. Blocking; each step may be repeated. */
final class PartitionMover {
    private final Containers containers;

    PartitionMover(Containers containers) {
        this.containers = containers;
    }

    private SegmentContainer serving(int container) throws TopicException {
        SegmentContainer found = containers.serving(container);
        if (found == null) {
            throw TopicException.unavailable("container " + container + " is not served here");
        }
        return found;
    }

    /** Whether there is no way back: the partition takes no more appends where it was. */
    boolean hasBegun(Placement from) throws TopicException {
        SegmentContainer container = serving(from.container());
        return await(container.ask(() -> Handover.isLeaving(container, from.segment())));
    }

    /** Makes the segment the partition is to go on in, unless it is there already. */
    void prepare(Topic topic, Move move) throws TopicException {
        SegmentContainer to = serving(move.container());
        PartitionAttributes attributes = new PartitionAttributes(
                topic.name().toString(),
                topic.id(),
                move.partition(),
                topic.partitions().get(move.partition()).partitionId());
        create(to, move.segment(), attributes);
    }

    /**
     * Numbers of an elastic topic's partitions that have their place in the container, and are not made yet, each with its leader
     * epoch. Whoever makes one now finds the container staying, or not.
     */
    Map<Integer, Integer> unmade(Topic topic, int container) throws TopicException {
        List<Integer> there = new ArrayList<>();
        for (int p = 0; p < topic.partitions().size(); p++) {
            Placement placement = topic.partitions().get(p);
            if (placement.container() == container && placement.isWhereItBegan()) {
                there.add(p);
            }
        }
        if (there.isEmpty()) {
            return Map.of();
        }
        SegmentContainer of = serving(container);
        return await(of.ask(() -> there.stream()
                .filter(p -> of.info(topic.partitions().get(p).segment()) == null)
                .collect(toMap(p -> p, p -> topic.partitions().get(p).leaderEpoch(of.term())))));
    }

    /** Term of a container that is served here. */
    long term(int container) throws TopicException {
        return serving(container).term();
    }

    private static void create(SegmentContainer container, long segment, PartitionAttributes attributes)
            throws TopicException {
        await(container.<Boolean>ask(answer -> {
            if (container.info(segment) != null) {
                container.barrier(answer.onceDurable(true));
                return;
            }
            ByteBuf bytes = Unpooled.buffer();
            attributes.write(bytes);
            container.create(segment, SegmentKinds.PARTITION, bytes, answer.onceDurable(true));
        }));
    }

    /**
     * Ends the partition where it is and lets it go on where it is to be; from here until the catalogue shows the new place,
     * clients wait.
     *
     * @return what the topic's record is to say of its new place
     */
    Handover.Arrived carry(Topic topic, Move move) throws TopicException {
        SegmentContainer to = serving(move.container());
        boolean arrived = await(to.ask(() -> Handover.hasArrived(to, move.segment())));
        if (!arrived) {
            Handover.State state = leave(topic, move.partition());
            Placement from = topic.partitions().get(move.partition());
            await(to.<Boolean>ask(answer -> Handover.arrive(
                    to, move.segment(), from.container(), state.epoch(), state.bytes(), answer.onceDurable(true))));
        } else {
            await(to.<Boolean>ask(answer -> Handover.arrived(to, answer.onceDurable(true))));
        }
        return await(to.ask(() -> Handover.arrival(to, move.segment())));
    }

    private Handover.State leave(Topic topic, int partition) throws TopicException {
        Placement from = topic.partitions().get(partition);
        SegmentContainer container = serving(from.container());
        if (topic.isElastic() && from.isWhereItBegan()) {
            // So that it cannot be made there when it has moved.
            create(container, from.segment(), topic.attributes(partition));
        }
        return await(container.<Handover.State>ask(
                answer -> Handover.leave(container, from.segment(), answer::complete, answer::fail)));
    }

    /** Lets the places that the partition has left forget its state. */
    void forget(List<SegmentPlace> left) throws TopicException {
        for (SegmentPlace place : left) {
            if (!containers.all().contains(place.container())) {
                continue; // it was removed, which needed it to be empty
            }
            SegmentContainer container = serving(place.container());
            await(container.<Boolean>ask(
                    answer -> Handover.left(container, place.segment(), answer.onceDurable(true))));
        }
    }
}
