package io.sluice.broker.scalable;

import static io.sluice.broker.topic.ContainerAnswers.await;

import io.sluice.broker.topic.Partitions;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.PulsarNames.Parsed;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicException.Reason;
import io.sluice.broker.topic.TopicName;
import io.sluice.broker.topic.step.PartitionStep;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Scalable segments are topics of the catalogue with one partition each, or partitions of a classic topic there. */
final class CatalogueScalableSegments implements ScalableSegmentPlaces {
    /** Many times what a move takes. */
    private static final Duration AGAIN = Duration.ofSeconds(10);

    private static final Duration PAUSE = Duration.ofMillis(10);

    private final TopicCatalogue catalogue;
    private final Partitions partitions;

    CatalogueScalableSegments(TopicCatalogue catalogue, Partitions partitions) {
        this.catalogue = catalogue;
        this.partitions = partitions;
    }

    @Override
    public void make(TopicName segment) throws TopicException {
        try {
            await(catalogue.create(segment, 1, false, false, Map.of()));
        } catch (TopicException e) {
            if (e.reason() != Reason.ALREADY_EXISTS) {
                throw e;
            }
        }
    }

    @Override
    public void delete(TopicName topic, Check still) throws TopicException, IOException {
        Optional<Topic> found = await(catalogue.read(topic).thenApply(Optional::ofNullable));
        if (found.isEmpty()) {
            return;
        }
        still.run();
        try {
            await(catalogue.delete(topic, found.get().id()).thenApply(v -> true));
        } catch (TopicException e) {
            if (e.reason() != Reason.NOT_FOUND) {
                throw e;
            }
        }
    }

    @Override
    public boolean has(Parsed segment) throws TopicException {
        return isIn(catalogue.find(segment.topic()), segment)
                || await(catalogue.growth().isGrowingNow(segment.topic()))
                || await(catalogue.read(segment.topic()).thenApply(topic -> isIn(topic, segment)));
    }

    private boolean isIn(@Nullable Topic topic, Parsed segment) {
        return topic != null
                && (segment.partition() < topic.partitions().size()
                        || catalogue.growth().isGrowing(topic));
    }

    /** A scalable segment that is just moved to another container is nowhere for a moment, so it is asked again. */
    @Override
    public <T> T ask(Parsed segment, PartitionStep<T> step) throws TopicException {
        long deadline = System.nanoTime() + AGAIN.toNanos();
        while (true) {
            try {
                return askOnce(segment, step);
            } catch (TopicException e) {
                if (e.reason() != Reason.UNAVAILABLE || System.nanoTime() > deadline) {
                    throw e;
                }
            }
            pause();
        }
    }

    private static void pause() throws TopicException {
        try {
            Thread.sleep(PAUSE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw TopicException.unavailable("interrupted");
        }
    }

    private <T> T askOnce(Parsed segment, PartitionStep<T> step) throws TopicException {
        Topic topic = catalogue.find(segment.topic());
        int partition = Math.max(0, segment.partition());
        if (topic == null || partition >= topic.partitions().size()) {
            throw TopicException.unavailable(PulsarNames.text(segment) + " is not found now");
        }
        return await(partitions.ask(topic, partition, step));
    }
}
