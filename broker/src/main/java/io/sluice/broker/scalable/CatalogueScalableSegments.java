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
import java.time.Duration;

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
        await(catalogue.getOrCreate(segment, 1, false, false));
    }

    @Override
    public void delete(TopicName topic) throws TopicException {
        if (catalogue.find(topic) == null) {
            return;
        }
        try {
            await(catalogue.delete(topic).thenApply(v -> true));
        } catch (TopicException e) {
            if (e.reason() != Reason.NOT_FOUND) {
                throw e;
            }
        }
    }

    @Override
    public boolean has(Parsed segment) {
        Topic topic = catalogue.find(segment.topic());
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
