package io.sluice.broker.topic;

import static java.util.stream.Collectors.toMap;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.log.Handover;
import io.sluice.broker.log.PartitionAttributes;
import io.sluice.broker.log.PartitionRiderFactory;
import io.sluice.broker.log.SegmentPlace;
import io.sluice.broker.topic.Topic.Placement;
import io.sluice.broker.topic.TopicRecord.Move;
import io.sluice.store.segment.Containers;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Carries out the steps of a move in the containers, see {@link Handover}. Blocking; each step may be repeated. */
final class PartitionMover {
    private static final long TIMEOUT_SECONDS = 30;

    private final Containers containers;

    PartitionMover(Containers containers) {
        this.containers = containers;
    }

    private SegmentContainer serving(int container) throws TopicException {
        SegmentContainer found = containers.serving(container);
        if (found == null) {
            throw PartitionSegments.unavailable("container " + container + " is not served here");
        }
        return found;
    }

    /** Whether there is no way back: the partition takes no more appends where it was. */
    boolean hasBegun(Placement from) throws TopicException {
        SegmentContainer container = serving(from.container());
        return on(
                container,
                (CompletableFuture<Boolean> done) -> done.complete(Handover.isLeaving(container, from.segment())));
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
     * Numbers of an elastic topic's partitions that have their place in the container, and that nobody has made, each with its leader
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
        return on(
                of,
                (CompletableFuture<Map<Integer, Integer>> done) -> done.complete(there.stream()
                        .filter(p -> of.info(topic.partitions().get(p).segment()) == null)
                        .collect(toMap(p -> p, p -> topic.partitions().get(p).unmadeEpoch(of.term())))));
    }

    /** Term of a container that is served here. */
    long term(int container) throws TopicException {
        return serving(container).term();
    }

    private static void create(SegmentContainer container, long segment, PartitionAttributes attributes)
            throws TopicException {
        on(container, (CompletableFuture<Boolean> done) -> {
            if (container.info(segment) != null) {
                container.barrier(completing(done));
                return;
            }
            ByteBuf bytes = Unpooled.buffer();
            attributes.write(bytes);
            container.create(segment, PartitionRiderFactory.KIND, bytes, completing(done));
        });
    }

    private record State(int epoch, ByteBuf bytes) {}

    /**
     * Ends the partition where it is and lets it go on where it is to be; from here until the catalogue shows the new place,
     * clients wait.
     *
     * @return where its earlier bytes lie
     */
    List<SegmentPlace> carry(Topic topic, Move move) throws TopicException {
        SegmentContainer to = serving(move.container());
        boolean arrived =
                on(to, (CompletableFuture<Boolean> done) -> done.complete(Handover.hasArrived(to, move.segment())));
        if (!arrived) {
            State state = leave(topic, move.partition());
            Placement from = topic.partitions().get(move.partition());
            on(
                    to,
                    (CompletableFuture<Boolean> done) -> Handover.arrive(
                            to, move.segment(), from.container(), state.epoch, state.bytes, completing(done)));
        } else {
            on(to, (CompletableFuture<Boolean> done) -> Handover.arrived(to, completing(done)));
        }
        return on(
                to,
                (CompletableFuture<List<SegmentPlace>> done) -> done.complete(Handover.earlier(to, move.segment())));
    }

    private State leave(Topic topic, int partition) throws TopicException {
        Placement from = topic.partitions().get(partition);
        SegmentContainer container = serving(from.container());
        if (topic.isElastic() && from.isWhereItBegan()) {
            // So that nobody can make it there when it has moved.
            create(container, from.segment(), topic.attributes(partition));
        }
        return on(
                container,
                (CompletableFuture<State> done) -> Handover.leave(container, from.segment(), new Handover.Leaving() {
                    @Override
                    public void ready(int epoch, ByteBuf state) {
                        done.complete(new State(epoch, state));
                    }

                    @Override
                    public void failed(StoreFailure why) {
                        done.completeExceptionally(PartitionSegments.unavailable(why.message()));
                    }
                }));
    }

    /** Lets the places that the partition has left forget its state. */
    void forget(List<SegmentPlace> left) throws TopicException {
        for (SegmentPlace place : left) {
            if (!containers.all().contains(place.container())) {
                continue; // it was removed, which needed it to be empty
            }
            SegmentContainer container = serving(place.container());
            on(
                    container,
                    (CompletableFuture<Boolean> done) -> Handover.left(container, place.segment(), completing(done)));
        }
    }

    static Durable completing(CompletableFuture<Boolean> done) {
        return new Durable() {
            @Override
            public void durable() {
                done.complete(true);
            }

            @Override
            public void failed(StoreFailure why) {
                done.completeExceptionally(PartitionSegments.unavailable(why.message()));
            }
        };
    }

    interface Step<T> {
        void run(CompletableFuture<T> done) throws TopicException;
    }

    /** Runs a step on the container's loop and waits for what it completes with. */
    static <T> T on(SegmentContainer container, Step<T> step) throws TopicException {
        CompletableFuture<T> done = new CompletableFuture<>();
        container.execute(new LoopTask() {
            @Override
            public void run() {
                try {
                    step.run(done);
                } catch (RuntimeException | TopicException e) {
                    done.completeExceptionally(e);
                }
            }

            @Override
            public void abandoned(StoreFailure why) {
                done.completeExceptionally(PartitionSegments.unavailable(why.message()));
            }
        });
        try {
            return done.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof TopicException refused) {
                throw refused;
            }
            throw new IllegalStateException("a step of a move failed", e);
        } catch (TimeoutException e) {
            throw PartitionSegments.unavailable("no answer within " + TIMEOUT_SECONDS + " s");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw PartitionSegments.unavailable("interrupted");
        }
    }
}
