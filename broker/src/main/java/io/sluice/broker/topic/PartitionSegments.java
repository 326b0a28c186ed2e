package io.sluice.broker.topic;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.log.PartitionAttributes;
import io.sluice.broker.log.PartitionRiderFactory;
import io.sluice.broker.log.SegmentPlace;
import io.sluice.broker.topic.Topic.Placement;
import io.sluice.store.segment.Containers;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Makes and removes the segments of partitions, one task per container, and waits until that is durable. Blocking. */
final class PartitionSegments {
    private static final long TIMEOUT_SECONDS = 30;

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
            container.create(at.segment(), PartitionRiderFactory.KIND, bytes, done);
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
        List<CompletableFuture<Optional<StoreFailure>>> all = new ArrayList<>();
        TopicException first = null;
        for (Map.Entry<Integer, List<Step>> e : byContainer.entrySet()) {
            SegmentContainer container = containers.serving(e.getKey());
            if (container == null) {
                first = first != null ? first : unavailable("container " + e.getKey() + " is not served here");
                continue;
            }
            Batch batch = new Batch(container, e.getValue());
            container.execute(batch);
            all.add(batch.outcome);
        }
        for (CompletableFuture<Optional<StoreFailure>> each : all) {
            await(each);
        }
        if (first != null) {
            throw first;
        }
    }

    private static void await(CompletableFuture<Optional<StoreFailure>> outcome) throws TopicException {
        try {
            Optional<StoreFailure> failure = outcome.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
            if (failure.isPresent()) {
                throw unavailable(failure.get().message());
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException("the outcome is never an exception", e);
        } catch (TimeoutException e) {
            throw unavailable("no answer within " + TIMEOUT_SECONDS + " s");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unavailable("interrupted");
        }
    }

    static TopicException unavailable(String why) {
        return new TopicException(TopicException.Reason.UNAVAILABLE, why);
    }

    /** All changes in one container; done when the last one is durable, which it is after the others. */
    private static final class Batch implements LoopTask, Durable {
        private final SegmentContainer container;
        private final List<Step> steps;
        private final CompletableFuture<Optional<StoreFailure>> outcome = new CompletableFuture<>();

        Batch(SegmentContainer container, List<Step> steps) {
            this.container = container;
            this.steps = steps;
        }

        @Override
        public void run() {
            for (int i = 0; i < steps.size(); i++) {
                steps.get(i).change().apply(container, i == steps.size() - 1 ? this : Durable.IGNORED);
            }
        }

        @Override
        public void abandoned(StoreFailure why) {
            failed(why);
        }

        @Override
        public void durable() {
            outcome.complete(Optional.empty());
        }

        @Override
        public void failed(StoreFailure why) {
            outcome.complete(Optional.of(why));
        }
    }
}
