package io.sluice.broker.topic;

import static io.sluice.broker.topic.ContainerAnswers.await;

import io.sluice.broker.container.ContainerOperations;
import io.sluice.broker.container.CreateSegments;
import io.sluice.broker.container.CreateSegments.NewSegment;
import io.sluice.broker.container.MissingSegments;
import io.sluice.broker.log.PartitionAttributes;
import io.sluice.broker.log.SegmentPlace;
import io.sluice.broker.log.open.Handover;
import io.sluice.broker.topic.Topic.Placement;
import io.sluice.broker.topic.TopicRecord.Move;
import io.sluice.broker.topic.step.Arrival;
import io.sluice.broker.topic.step.Arrive;
import io.sluice.broker.topic.step.Forget;
import io.sluice.broker.topic.step.IsLeaving;
import io.sluice.broker.topic.step.Leave;
import io.sluice.broker.topic.step.TopicSteps;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Carries out the steps of a move in the containers, whichever nodes serve them, see {@link Handover}. Blocking; each step may be
 * repeated.
 */
final class PartitionMover {
    private final ContainerOperations containers;

    PartitionMover(ContainerOperations containers) {
        this.containers = containers;
    }

    /** Whether there is no way back: the partition takes no more appends where it was. */
    boolean hasBegun(Placement from) throws TopicException {
        return await(containers.ask(from.container(), new IsLeaving(from.segment())));
    }

    /** Makes the segment the partition is to go on in, unless it is there already. */
    void prepare(Topic topic, Move move) throws TopicException {
        PartitionAttributes attributes = new PartitionAttributes(
                topic.name().toString(),
                topic.id(),
                move.partition(),
                topic.partitions().get(move.partition()).partitionId());
        var segment = TopicSteps.segment(move.segment(), attributes);
        await(containers.ask(move.container(), new CreateSegments(List.of(segment))));
    }

    /**
     * Numbers of an elastic topic's partitions that have their place in the container, and are not made yet, each with its leader
     * epoch. Whoever makes one now finds the container staying, or not.
     */
    Map<Integer, Integer> unmade(Topic topic, int container) throws TopicException {
        Map<Long, Integer> there = new HashMap<>();
        for (int p = 0; p < topic.partitions().size(); p++) {
            Placement placement = topic.partitions().get(p);
            if (placement.container() == container && placement.isWhereItBegan()) {
                there.put(placement.segment(), p);
            }
        }
        if (there.isEmpty()) {
            return Map.of();
        }
        MissingSegments.Found found =
                await(containers.ask(container, new MissingSegments(List.copyOf(there.keySet()))));
        Map<Integer, Integer> epochs = new HashMap<>();
        for (long segment : found.missing()) {
            int partition = there.getOrDefault(segment, -1);
            epochs.put(partition, topic.partitions().get(partition).leaderEpoch(found.term()));
        }
        return epochs;
    }

    /** Term of a container. */
    long term(int container) throws TopicException {
        return await(containers.ask(container, new MissingSegments(List.of()))).term();
    }

    /**
     * Ends the partition where it is and lets it go on where it is to be; from here until the catalogue shows the new place,
     * clients wait.
     *
     * @return what the topic's record is to say of its new place
     */
    Handover.Arrived carry(Topic topic, Move move) throws TopicException {
        Optional<Handover.Arrived> arrived = await(containers.ask(move.container(), new Arrival(move.segment())));
        if (arrived.isPresent()) {
            return arrived.get();
        }
        Handover.State state = leave(topic, move.partition());
        int from = topic.partitions().get(move.partition()).container();
        return await(containers.ask(move.container(), Arrive.of(move.segment(), from, state)));
    }

    private Handover.State leave(Topic topic, int partition) throws TopicException {
        Placement from = topic.partitions().get(partition);
        // An elastic one, so that it cannot be made there when it has moved.
        List<NewSegment> toBeMade = topic.isElastic() && from.isWhereItBegan()
                ? List.of(TopicSteps.segment(from.segment(), topic.attributes(partition)))
                : List.of();
        Leave.Left left =
                await(containers.ask(from.container(), new Leave(from.segment(), toBeMade, containers.mostBytes())));
        Handover.State state = left.state();
        if (state == null) {
            throw TopicException.unavailable(
                    "partition " + partition + " of topic " + topic.name() + " stays: its state has " + left.bytes()
                            + " bytes, and " + containers.mostBytes() + " may go to another node");
        }
        return state;
    }

    /** Lets the places that the partition has left forget its state. */
    void forget(List<SegmentPlace> left) throws TopicException {
        for (SegmentPlace place : left) {
            if (containers.all().contains(place.container())) { // else it was removed, which needed it to be empty
                await(containers.ask(place.container(), new Forget(place.segment())));
            }
        }
    }
}
