package io.sluice.broker.topic;

import io.sluice.broker.topic.TopicException.Reason;
import io.sluice.broker.topic.TopicStore.Stored;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Makes topics, asked to or because somebody uses them, and adds partitions. Refuses names that are reserved and those of scalable
 * topics, which grow by themselves.
 */
final class TopicCreation {
    private final SettledTopics settled;
    private final PartitionCreation partitions;
    private final Supplier<UUID> topicIds;
    private final LongSupplier clock;

    private volatile ScalableNames scalable = ScalableNames.NONE;

    /**
     * @param topicIds random ids
     * @param clock milliseconds since the epoch
     */
    TopicCreation(SettledTopics settled, PartitionCreation partitions, Supplier<UUID> topicIds, LongSupplier clock) {
        this.settled = settled;
        this.partitions = partitions;
        this.topicIds = topicIds;
        this.clock = clock;
    }

    /**
     * A topic as it is to be made.
     *
     * @param near containers that are preferred where there are any
     */
    record Shape(
            int partitions, boolean partitioned, boolean internal, Map<String, String> settings, IntPredicate near) {
        private static final IntPredicate ANYWHERE = _ -> false;

        Shape(int partitions, boolean partitioned, boolean internal, Map<String, String> settings) {
            this(partitions, partitioned, internal, settings, ANYWHERE);
        }
    }

    /** @param names asked each time */
    void scalableNames(ScalableNames names) {
        scalable = names;
    }

    CompletableFuture<Topic> create(TopicName name, Shape shape) {
        return settled.change(name, () -> {
            if (settled.find(name) != null) {
                throw new TopicException(Reason.ALREADY_EXISTS, "topic " + name + " exists");
            }
            return createNew(name, shape);
        });
    }

    /** Internal topics are there for internal use only. */
    CompletableFuture<Topic> getOrCreate(TopicName name, Shape shape) {
        return settled.change(name, () -> {
            Stored found = settled.find(name);
            if (found == null) {
                if (scalable.has(name)) {
                    throw isScalable(name);
                }
                return createNew(name, shape);
            }
            Topic topic = found.record().topic();
            if (topic.internal() && !shape.internal()) {
                throw reserved(name);
            }
            return topic;
        });
    }

    private Topic createNew(TopicName name, Shape shape) throws TopicException, IOException {
        if (!shape.internal() && KafkaNames.isReserved(name)) {
            throw reserved(name);
        }
        if (scalable.wasClassic(name)) {
            throw isScalable(name);
        }
        TopicLimits.checkPartitions(shape.partitions(), shape.partitioned());
        TopicLimits.checkSettings(shape.settings());
        Topic topic = new Topic(
                name,
                topicIds.get(),
                shape.partitioned(),
                List.of(),
                shape.settings(),
                shape.internal(),
                clock.getAsLong());
        return partitions.create(topic, shape.partitions(), shape.near());
    }

    private static TopicException reserved(TopicName name) {
        return new TopicException(
                Reason.RESERVED_NAME, "Creation of internal topic " + name.local() + " is prohibited.");
    }

    private static TopicException isScalable(TopicName name) {
        return new TopicException(
                Reason.SCALABLE, "topic " + name + " is scalable: use it as " + PulsarNames.ofScalable(name));
    }

    /** @param total number of partitions afterwards, more than there are */
    Topic grow(Stored stored, int total) throws TopicException, IOException {
        Topic topic = stored.record().topic();
        return partitions.add(stored, total, () -> {
            if (scalable.wasClassicByNow(topic.name())) { // whoever makes it scalable from here on finds it growing
                throw new TopicException(
                        Reason.INVALID_PARTITIONS,
                        "topic " + topic.name() + " was made scalable: its segments split instead");
            }
        });
    }
}
