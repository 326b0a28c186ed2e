package io.sluice.broker.topic;

import io.sluice.broker.log.SubscriptionStart;
import io.sluice.broker.subscription.ShadowSubscription;
import io.sluice.broker.topic.step.AtShadow;
import io.sluice.broker.topic.step.PartitionStep;
import java.io.IOException;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Durable subscriptions that are made or deleted while a topic gets more partitions, and for a minute afterwards: a client subscribes to
 * the partitions it has heard of, and means all. Any thread.
 *
 * <pre>
 *   growth:     begins ─► looks which subscriptions there are ─► makes them in the new partitions ─► these are shown
 *   subscribe:  {@link #mayHaveNewPartitions}, on the loop of a partition, in the turn that would make it there: false ─► it is found by the look
 *               true ─► waits for the growth, and makes it in the new partitions, too
 * </pre>
 *
 * <p>Where several nodes share the store, another one may be at it. It writes the growth into the topic's record <em>before</em> it looks;
 * what is made or deleted here reads that record <em>afterwards</em>, so one of the two sees the other:
 *
 * <pre>
 *   another node   record: is growing ──► looks which there are ──► makes them in the new partitions ──► record: these are shown
 *   here           makes one in its partition ──► reads the record ──► waits, and makes it in the new partitions, too
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
    private final Stored stored;

    /**
     * @param first of the new partitions
     * @param until clients may not know of them, milliseconds since the epoch
     */
    private record Growth(int first, long until) {}

    /** Topics as they are stored. Blocks. */
    interface Stored {
        /** Whether other nodes may change them, too. */
        boolean isShared();

        /** At rest; under its lock. */
        Topic find(TopicName name) throws TopicException, IOException;

        /** As it is shown; of a shadow topic its source. Null if there is none. */
        @Nullable
        Topic source(UUID id);

        /** Whether a node is adding partitions, to the source of a shadow topic. */
        boolean isGrowing(TopicName name) throws IOException;
    }

    TopicGrowth(LongSupplier clock, GrowthSubscriptions subscriptions, ChangesByName changes, Stored stored) {
        this.clock = clock;
        this.subscriptions = subscriptions;
        this.changes = changes;
        this.stored = stored;
    }

    /** Before it is looked which subscriptions there are. */
    void begin(Topic topic) {
        note(topic, GROWING);
    }

    /** Another node has added partitions; before they are shown here. */
    void seen(Topic before, Topic now) {
        if (stored.isShared() && before.id().equals(now.id())) {
            note(before, clock.getAsLong() + RECENT_MILLIS);
        }
    }

    private void note(Topic before, long until) {
        long now = clock.getAsLong();
        growths.values().removeIf(growth -> growth.until <= now);
        growths.merge(
                before.id(),
                new Growth(before.partitions().size(), until),
                (known, news) -> new Growth(Math.min(known.first, news.first), Math.max(known.until, news.until)));
    }

    /** The topic is at rest, and all its partitions are shown. */
    void settled(Topic topic) {
        growths.computeIfPresent(
                topic.id(),
                (id, growth) ->
                        growth.until == GROWING ? new Growth(growth.first, clock.getAsLong() + RECENT_MILLIS) : growth);
    }

    /** Whether this node is adding partitions to the topic. */
    public boolean isGrowing(Topic topic) {
        Growth growth = growths.get(topic.sourceId());
        return growth != null && growth.until == GROWING;
    }

    /** Whether any node is adding partitions, as it is stored now. Fails with a {@link TopicException}. */
    public CompletableFuture<Boolean> isGrowingNow(TopicName name) {
        return stored.isShared()
                ? changes.make(name, () -> stored.isGrowing(name))
                : CompletableFuture.completedFuture(false);
    }

    /**
     * Whether the topic may have, or be about to have, partitions that clients do not know of yet. Then a durable subscription of one of its
     * partitions is made by {@link #subscribe}.
     */
    public boolean mayHaveNewPartitions(Topic topic) {
        return isGrownElsewhere(topic) || firstNew(topic) < Integer.MAX_VALUE;
    }

    /** Whether another node may be adding partitions. */
    private boolean isGrownElsewhere(Topic topic) {
        return topic.partitioned() && stored.isShared();
    }

    /** Whether the topic may have, or be about to have, partitions that a client did not find. */
    public boolean mayHaveGrown(TopicSeen seen, Topic now) {
        return now.partitions().size() != seen.partitions() || isGrowing(now) || isGrownElsewhere(now);
    }

    private int firstNew(Topic topic) {
        Growth growth = growths.get(topic.sourceId());
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
        Source source = source(seen);
        return changes.make(source.seen.name(), () -> {
            var asked = new GrowthSubscriptions.New(subscription, properties, start);
            Topic now = existing(source.seen);
            Topic asOf;
            do {
                asOf = now;
                subscriptions.create(asOf, partition, firstNew(asOf), asked, source);
                now = isGrownElsewhere(asOf) ? existing(source.seen) : asOf;
            } while (now.partitions().size() > asOf.partitions().size());
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
        Source source = source(seen);
        return changes.make(source.seen.name(), () -> {
            Topic topic = existing(source.seen);
            if (topic.partitions().size() > seen.partitions()
                    && !subscriptions.of(topic, seen.partitions()).containsKey(source.stored(subscription))) {
                subscriptions.ask(topic, seen.partitions(), source.in(delete));
            }
            return null;
        });
    }

    /**
     * The topic that has the partitions of one that a client found.
     *
     * @param shadow id of the shadow topic that was found; null if it was another topic
     */
    record Source(TopicSeen seen, @Nullable UUID shadow) {
        /** A step in one of its partitions. */
        <T> PartitionStep<T> in(PartitionStep<T> step) {
            return shadow == null ? step : new AtShadow<>(shadow, step);
        }

        /** Name under which a partition keeps a subscription. */
        String stored(String subscription) {
            return shadow == null ? subscription : new ShadowSubscription(shadow, subscription).stored();
        }
    }

    private Source source(TopicSeen seen) {
        Topic source = stored.source(seen.id());
        return source == null || source.id().equals(seen.id())
                ? new Source(seen, null)
                : new Source(new TopicSeen(source.name(), source.id(), seen.partitions()), seen.id());
    }

    private Topic existing(TopicSeen seen) throws TopicException, IOException {
        Topic topic = stored.find(seen.name());
        if (!topic.id().equals(seen.id())) {
            throw new TopicException(TopicException.Reason.NOT_FOUND, "topic " + seen.name() + " was deleted");
        }
        return topic;
    }

    /** Does something while the topic gets no partitions; it may block. Fails with NOT_FOUND if there is no such topic. */
    public <T> CompletableFuture<T> whileUnchanged(TopicName name, Function<Topic, T> work) {
        return changes.make(name, () -> {
            Topic topic = stored.find(name);
            Topic source = stored.source(topic.id());
            return work.apply(source == null ? topic : topic.withPartitions(source.partitions()));
        });
    }
}
