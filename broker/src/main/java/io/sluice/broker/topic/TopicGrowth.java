package io.sluice.broker.topic;

import io.sluice.broker.log.SubscriptionStart;
import io.sluice.broker.topic.step.PartitionStep;
import java.io.IOException;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Durable subscriptions that are made or deleted while a topic gets more partitions, and for a minute afterwards: a client subscribes to
 * the partitions it has heard of, and means all. Any thread.
 *
 * <pre>
 *   growth:     begins ─► looks which subscriptions there are ─► makes them in the new partitions ─► these are shown
 *   subscribe:  {@link #hasNewPartitions}, on the loop of a partition, in the turn that would make it there: false ─► it is found by the look
 *               true ─► waits for the growth, and makes it in the new partitions, too
 * </pre>
 */
public final class TopicGrowth {
    /** Clients look for new partitions once a minute. */
    static final long RECENT_MILLIS = 60_000;

    private static final long GROWING = Long.MAX_VALUE;

    private final Map<UUID, Growth> growths = new ConcurrentHashMap<>();
    private final LongSupplier clock;
    private final GrowthSubscriptions subscriptions;
    private final ChangesByName changes;
    private final Existing existing;

    /**
     * @param first of the new partitions
     * @param until clients may not know of them, milliseconds since the epoch
     */
    private record Growth(int first, long until) {}

    /** A topic as it is stored, at rest; under its lock. */
    interface Existing {
        Topic find(TopicName name) throws TopicException, IOException;
    }

    TopicGrowth(LongSupplier clock, GrowthSubscriptions subscriptions, ChangesByName changes, Existing existing) {
        this.clock = clock;
        this.subscriptions = subscriptions;
        this.changes = changes;
        this.existing = existing;
    }

    /** Before it is looked which subscriptions there are. */
    void begin(Topic topic) {
        long now = clock.getAsLong();
        growths.values().removeIf(growth -> growth.until <= now);
        growths.merge(
                topic.id(),
                new Growth(topic.partitions().size(), GROWING),
                (before, growth) -> new Growth(Math.min(before.first, growth.first), GROWING));
    }

    /** The topic is at rest, and all its partitions are shown. */
    void settled(Topic topic) {
        growths.computeIfPresent(
                topic.id(),
                (id, growth) ->
                        growth.until == GROWING ? new Growth(growth.first, clock.getAsLong() + RECENT_MILLIS) : growth);
    }

    /** Whether partitions are being added to the topic. */
    public boolean isGrowing(Topic topic) {
        Growth growth = growths.get(topic.id());
        return growth != null && growth.until == GROWING;
    }

    /**
     * Whether the topic has, or is about to have, partitions that clients may not know of yet. Then a durable subscription of one of its
     * partitions is made by {@link #subscribe}.
     */
    public boolean hasNewPartitions(Topic topic) {
        return firstNew(topic) < Integer.MAX_VALUE;
    }

    private int firstNew(Topic topic) {
        Growth growth = growths.get(topic.id());
        return growth == null || growth.until <= clock.getAsLong() ? Integer.MAX_VALUE : growth.first;
    }

    /**
     * Makes a durable subscription of a partition, and of those that clients may not know of yet, where it is not there; complete means
     * durable. Fails with a {@link TopicException}: INVALID_SETTING if a partition takes no such subscription.
     *
     * @param start where it begins; on the loop of the partition
     */
    public CompletableFuture<Void> subscribe(
            TopicSeen seen,
            int partition,
            String subscription,
            Map<String, String> properties,
            SubscriptionStart start) {
        return changes.make(seen.name(), () -> {
            Topic topic = existing(seen);
            var asked = new GrowthSubscriptions.New(subscription, properties, start);
            subscriptions.create(topic, partition, firstNew(topic), asked);
            return null;
        });
    }

    /**
     * Deletes a durable subscription in the partitions that were added since its client found the topic, if the others have it no more: the
     * client deletes it where it knows of it. Fails with a {@link TopicException}.
     *
     * @param delete deletes it in a partition, unless it is used there
     */
    public CompletableFuture<Void> unsubscribed(TopicSeen seen, String subscription, PartitionStep<?> delete) {
        return changes.make(seen.name(), () -> {
            Topic topic = existing(seen);
            if (topic.partitions().size() > seen.partitions()
                    && !subscriptions.of(topic, seen.partitions()).containsKey(subscription)) {
                subscriptions.ask(topic, seen.partitions(), delete);
            }
            return null;
        });
    }

    private Topic existing(TopicSeen seen) throws TopicException, IOException {
        Topic topic = existing.find(seen.name());
        if (!topic.id().equals(seen.id())) {
            throw new TopicException(TopicException.Reason.NOT_FOUND, "topic " + seen.name() + " was deleted");
        }
        return topic;
    }

    /** Does something while the topic gets no partitions; it may block. Fails with NOT_FOUND if there is no such topic. */
    public <T> CompletableFuture<T> whileUnchanged(TopicName name, Function<Topic, T> work) {
        return changes.make(name, () -> work.apply(existing.find(name)));
    }
}
