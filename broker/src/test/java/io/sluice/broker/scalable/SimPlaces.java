package io.sluice.broker.scalable;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.log.PartitionAttributes;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.ProducerLimits;
import io.sluice.broker.log.SegmentKinds;
import io.sluice.broker.log.open.OpenPartitions;
import io.sluice.broker.log.open.PartitionRiderFactory;
import io.sluice.broker.topic.PulsarNames.Parsed;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicName;
import io.sluice.broker.topic.step.PartitionStep;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.InMemoryContainers;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Segments in containers without a store, whose loops run while somebody waits. */
final class SimPlaces implements ScalableSegmentPlaces, AutoCloseable {
    private static final int CONTAINERS = 2;
    private static final String PARTITION = "-partition-";
    /** Turns in which a container always answers. */
    private static final int TURNS = 10_000;

    private final Random random;
    private final Runnable meanwhile;
    private final OpenPartitions open = new OpenPartitions();
    private final InMemoryContainers containers;
    private final Map<String, Place> places = new TreeMap<>();
    private long nextSegment = 1;
    private boolean released;

    private record Place(int container, long segment) {}

    /** @param meanwhile what others do while somebody waits for an answer; may throw to crash */
    SimPlaces(Random random, LongSupplier clock, Runnable meanwhile) {
        this.random = random;
        this.meanwhile = meanwhile;
        PartitionRiderFactory riders = new PartitionRiderFactory(ProducerLimits.DEFAULT, open);
        containers = InMemoryContainers.callerDriven(CONTAINERS, riders, clock);
        riders.containers(containers);
        containers.start();
    }

    @Override
    public void make(TopicName segment) {
        make(new Parsed(segment, -1));
    }

    /** @param classic also a partition of a classic topic */
    void make(Parsed classic) {
        if (!has(classic)) {
            Place place = new Place(random.nextInt(CONTAINERS), nextSegment++);
            ByteBuf attributes = Unpooled.buffer();
            new PartitionAttributes("t", new UUID(1, place.segment()), 0).write(attributes);
            containers.get(place.container()).release();
            containers
                    .get(place.container())
                    .create(place.segment(), SegmentKinds.PARTITION, attributes, Durable.IGNORED);
            containers.drain();
            places.put(key(classic), place);
        }
    }

    static String key(Parsed segment) {
        String local = segment.topic().local();
        return segment.partition() < 0 ? local : local + PARTITION + segment.partition();
    }

    @Override
    public void delete(TopicName topic, Check still) throws IOException {
        still.run();
        Set<String> gone = new TreeSet<>(places.keySet());
        gone.removeIf(key -> !key.equals(topic.local()) && !key.startsWith(topic.local() + PARTITION));
        for (String key : gone) {
            Place place = Objects.requireNonNull(places.remove(key));
            containers.get(place.container()).release();
            containers.get(place.container()).delete(place.segment(), Durable.IGNORED);
            containers.drain();
        }
    }

    @Override
    public boolean has(Parsed segment) {
        return places.containsKey(key(segment));
    }

    Set<String> names() {
        return places.keySet();
    }

    @Nullable
    PartitionLog find(Parsed segment) {
        Place place = places.get(key(segment));
        return place == null ? null : open.find(place.segment());
    }

    @Override
    public <T> T ask(Parsed segment, PartitionStep<T> step) throws TopicException {
        return askLog(segment, step::ask);
    }

    /** As a step. */
    interface Question<T> {
        void ask(PartitionLog log, Answer<T> answer);
    }

    <T> T askLog(Parsed segment, Question<T> question) throws TopicException {
        PartitionLog log = find(segment);
        if (log == null) {
            throw TopicException.unavailable(segment + " is not there");
        }
        Answer<T> result = log.container().ask(answer -> question.ask(log, answer));
        boolean givesUp = random.nextInt(12) == 0;
        for (int turn = 0; turn < TURNS; turn++) {
            if (givesUp && random.nextInt(3) == 0) {
                throw TopicException.unavailable("no answer in time");
            }
            if (result.isDone()) {
                try {
                    return result.join();
                } catch (CompletionException e) {
                    throw TopicException.unavailable(String.valueOf(e.getMessage()));
                }
            }
            meanwhile.run();
            work();
        }
        throw new AssertionError("a question to " + segment + " was not answered");
    }

    /** A turn of the loops; now and then the log of a container stands still for some turns. */
    void work() {
        if (!released) {
            int c = random.nextInt(CONTAINERS);
            switch (random.nextInt(20)) {
                case 0 -> containers.get(c).hold();
                case 1, 2, 3 -> containers.get(c).release();
                default -> {
                    // as it was
                }
            }
        }
        containers.doWork();
    }

    /** No log stands still any more. */
    void release() {
        released = true;
        for (int c = 0; c < CONTAINERS; c++) {
            containers.get(c).release();
        }
    }

    void drain() {
        containers.drain();
    }

    /** All containers begin another term; what was not durable is lost, or not. */
    void crash() {
        for (int c = 0; c < CONTAINERS; c++) {
            if (random.nextBoolean()) {
                containers.restartKeepingTail(c);
            } else {
                containers.stop(c);
                containers.start(c);
            }
        }
        containers.drain();
    }

    @Override
    public void close() {
        containers.close();
    }
}
