package io.sluice.broker.topic;

import io.sluice.broker.container.ContainerOperations;
import io.sluice.broker.container.ContainerStep;
import io.sluice.broker.container.CreateSegments;
import io.sluice.broker.container.CreateSegments.NewSegment;
import io.sluice.broker.container.DeleteSegments;
import io.sluice.broker.log.SegmentPlace;
import io.sluice.broker.topic.Topic.Placement;
import io.sluice.broker.topic.step.TopicSteps;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** Makes and removes the segments of partitions, one step per container, and waits until that is durable. Blocking. */
final class PartitionSegments {
    private final ContainerOperations containers;

    PartitionSegments(ContainerOperations containers) {
        this.containers = containers;
    }

    /** Makes the segments of {@code topic}'s partitions from {@code first} on. */
    void create(Topic topic, int first) throws TopicException {
        Map<Integer, List<NewSegment>> byContainer = new TreeMap<>();
        for (int p = first; p < topic.partitions().size(); p++) {
            Placement at = topic.partitions().get(p);
            byContainer
                    .computeIfAbsent(at.container(), id -> new ArrayList<>())
                    .add(TopicSteps.segment(at.segment(), topic.attributes(p)));
        }
        Map<Integer, ContainerStep<Boolean>> steps = new TreeMap<>();
        byContainer.forEach((container, segments) -> steps.put(container, new CreateSegments(segments)));
        run(steps);
    }

    /** Deletes those segments that exist, in all containers that are served; a container that was removed has none. */
    void delete(List<SegmentPlace> places) throws TopicException {
        Map<Integer, List<Long>> byContainer = new TreeMap<>();
        List<Integer> there = containers.all();
        for (SegmentPlace at : places) {
            if (there.contains(at.container())) {
                byContainer
                        .computeIfAbsent(at.container(), id -> new ArrayList<>())
                        .add(at.segment());
            }
        }
        Map<Integer, ContainerStep<Boolean>> steps = new TreeMap<>();
        byContainer.forEach((container, segments) -> steps.put(container, new DeleteSegments(segments)));
        run(steps);
    }

    /** All are begun, and waited for; then the first that was not served is told. */
    private void run(Map<Integer, ContainerStep<Boolean>> steps) throws TopicException {
        List<CompletableFuture<Boolean>> all = new ArrayList<>();
        steps.forEach((container, step) -> all.add(containers.ask(container, step)));
        TopicException first = null;
        for (CompletableFuture<Boolean> each : all) {
            try {
                ContainerAnswers.await(each);
            } catch (TopicException e) {
                first = first == null ? e : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
