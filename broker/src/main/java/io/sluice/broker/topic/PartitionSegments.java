package io.sluice.broker.topic;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.log.PartitionAttributes;
import io.sluice.broker.log.SegmentKinds;
import io.sluice.broker.log.SegmentPlace;
import io.sluice.broker.topic.Topic.Placement;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.Containers;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.SegmentContainer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Makes and removes the segments of partitions, one task per container, and waits until that is durable. Blocking. */
final class PartitionSegments {
    private final Containers containers;

    PartitionSegments(Containers containers) {
        this.containers = containers;
    }

    /** Makes the segments of {@code topic}'s partitions from {@code first} on. */
    void create(Topic topic, int first) throws TopicException {
        List<Step> steps = new ArrayList<>();
        for (int p = first; p < topic.partitions().size(); p++) {
            Placement at = topic.partitions().get(p);
            PartitionAttributes attributes = topic.attributes(p);
            steps.add(new Step(at.container(), (container, done) -> create(container, at, attributes, done)));
        }
        run(steps);
    }

    private static void create(SegmentContainer container, Placement at, PartitionAttributes attributes, Durable done) {
        ByteBuf bytes = Unpooled.buffer();
        try {
            attributes.write(bytes);
            container.create(at.segment(), SegmentKinds.PARTITION, bytes, done);
        } finally {
            bytes.release();
        }
    }

    /** Deletes those segments that exist, in all containers that are served; a container that was removed has none. */
    void delete(List<SegmentPlace> places) throws TopicException {
        List<Step> steps = new ArrayList<>();
        List<Integer> there = containers.all();
        for (SegmentPlace at : places) {
            if (!there.contains(at.container())) {
                continue;
            }
            steps.add(new Step(at.container(), (container, done) -> {
                if (container.info(at.segment()) == null) {
                    container.barrier(done);
                } else {
                    container.delete(at.segment(), done);
                }
            }));
        }
        run(steps);
    }

    private record Step(int container, Change change) {}

    private interface Change {
        void apply(SegmentContainer container, Durable done);
    }

    private void run(List<Step> steps) throws TopicException {
        Map<Integer, List<Step>> byContainer = new TreeMap<>();
        steps.forEach(s -> byContainer
                .computeIfAbsent(s.container(), id -> new ArrayList<>())
                .add(s));
        List<Answer<Boolean>> all = new ArrayList<>();
        TopicException first = null;
        for (Map.Entry<Integer, List<Step>> e : byContainer.entrySet()) {
            SegmentContainer container = containers.serving(e.getKey());
            if (container == null) {
                first = first != null
                        ? first
                        : TopicException.unavailable("container " + e.getKey() + " is not served here");
                continue;
            }
            all.add(container.ask(answer -> apply(container, e.getValue(), answer.onceDurable(true))));
        }
        for (Answer<Boolean> each : all) {
            ContainerAnswers.await(each);
        }
        if (first != null) {
            throw first;
        }
    }

    /** @param done told when the last change is durable, which it is after the others */
    private static void apply(SegmentContainer container, List<Step> steps, Durable done) {
        for (int i = 0; i < steps.size(); i++) {
            steps.get(i).change().apply(container, i == steps.size() - 1 ? done : Durable.IGNORED);
        }
    }
}
