package io.sluice.broker.topic;

import io.sluice.broker.topic.TopicException.Reason;
import io.sluice.broker.topic.TopicStore.Stored;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes topics, asked to or because somebody uses them, and adds partitions. Refuses names that are reserved and those of scalable
 * topics, which grow by themselves.
 */
final class TopicCreation {
    private final SettledTopics settled;
    private final PartitionCreation partitions;
    private final ShadowTopics shadows;
    private final Supplier<UUID> topicIds;
    private final LongSupplier clock;

    private volatile ScalableNames scalable = ScalableNames.NONE;

    /**
     * @param topicIds random ids
     * @param clock milliseconds since the epoch
     */
    TopicCreation(
            SettledTopics settled,
            PartitionCreation partitions,
            ShadowTopics shadows,
            Supplier<UUID> topicIds,
            LongSupplier clock) {
        this.settled = settled;
        this.partitions = partitions;
        this.shadows = shadows;
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
            requireFree(name);
            return createNew(name, shape);
        });
    }

    /** See {@link TopicCatalogue#createShadow}. */
    CompletableFuture<Topic> createShadow(TopicName name, Topic source, Map<String, String> settings) {
        return settled.change(name, () -> {
            requireFree(name);
            ShadowTopics.checkSource(source);
            if (scalable.has(name)) {
                throw isScalable(name);
            }
            Map<String, String> all = new HashMap<>(settings);
            all.put(Topic.SHADOW_SOURCE, source.id().toString());
            return shadows.create(
                    newTopic(name, new Shape(source.partitions().size(), source.partitioned(), false, all)));
        });
    }

    private void requireFree(TopicName name) throws TopicException, IOException {
        if (find(name) != null) {
            throw new TopicException(Reason.ALREADY_EXISTS, "topic " + name + " exists");
        }
    }

    /** Null if there is none; what is left of a shadow topic whose source is gone is removed. */
    private @Nullable Stored find(TopicName name) throws TopicException, IOException {
        Stored found = settled.find(name);
        if (found == null || !shadows.isLost(found.record().topic())) {
            return found;
        }
        settled.delete(found);
        return null;
    }

    /** Internal topics are there for internal use only. */
    CompletableFuture<Topic> getOrCreate(TopicName name, Shape shape) {
        return settled.change(name, () -> {
            Stored found = find(name);
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
        if (shape.settings().containsKey(Topic.SHADOW_SOURCE)) {
            throw new TopicException(Reason.INVALID_SETTING, Topic.SHADOW_SOURCE + " is that of shadow topics alone");
        }
        return partitions.create(newTopic(name, shape), shape.partitions(), shape.near());
    }

    /** Without partitions. */
    private Topic newTopic(TopicName name, Shape shape) throws TopicException {
        if (!shape.internal() && KafkaNames.isReserved(name)) {
            throw reserved(name);
        }
        if (scalable.wasClassic(name)) {
            throw isScalable(name);
        }
        TopicLimits.checkPartitions(shape.partitions(), shape.partitioned());
        TopicLimits.checkSettings(shape.settings());
        return new Topic(
                name,
                topicIds.get(),
                shape.partitioned(),
                List.of(),
                shape.settings(),
                shape.internal(),
                clock.getAsLong());
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
