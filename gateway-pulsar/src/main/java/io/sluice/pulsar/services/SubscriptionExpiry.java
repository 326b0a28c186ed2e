package io.sluice.pulsar.services;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.subscription.Subscriptions;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.pulsar.dispatch.CompactedReads;
import io.sluice.pulsar.hub.Hubs;
import io.sluice.pulsar.hub.PartitionHub;
import io.sluice.pulsar.namespace.NamespacePolicies;
import io.sluice.pulsar.namespace.TopicPolicies;
import io.sluice.pulsar.topic.TopicAccess;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes subscriptions to which no consumer was connected, and of which nothing was acknowledged, for as long as their topic's policy says. The node
 * that serves a partition looks at its subscriptions, round by round, and remembers since when nothing has changed; so another node, or the
 * same one after a restart, begins anew. Those of the server's own stay. Topics without the policy cost nothing but the look whether they have it.
 */
public final class SubscriptionExpiry {
    private static final Logger LOG = LoggerFactory.getLogger(SubscriptionExpiry.class);
    private static final long PATIENCE_SECONDS = 30;

    private final NamespacePolicies policies;
    private final TopicCatalogue catalogue;
    private final TopicAccess topics;
    private final Hubs hubs;
    private final LongSupplier nanos;
    private final OneRound rounds = new OneRound();
    /** Subscriptions without consumers of partitions with the policy; by rounds only. */
    private final Map<Place, Unchanged> seen = new HashMap<>();

    private record Place(UUID topic, long partition, String subscription) {}

    /** @param acknowledged how much was, at that time */
    private record Unchanged(long sinceNanos, Acknowledged acknowledged) {}

    /** @param above how many messages behind the first that was not */
    private record Acknowledged(int epoch, long below, long above) {}

    /** @param nanos a clock that only goes on */
    public SubscriptionExpiry(
            NamespacePolicies policies, TopicCatalogue catalogue, TopicAccess topics, Hubs hubs, LongSupplier nanos) {
        this.policies = policies;
        this.catalogue = catalogue;
        this.topics = topics;
        this.hubs = hubs;
        this.nanos = nanos;
    }

    /** One round, unless one is under way; blocks. */
    public void round() {
        rounds.unlessUnderWay(this::lookAtAll);
    }

    private void lookAtAll() throws InterruptedException {
        Set<Place> unused = new HashSet<>();
        for (Topic topic : catalogue.withShadows()) {
            int minutes = minutesOf(topic);
            for (int p = 0; minutes > 0 && p < topic.partitions().size(); p++) {
                PartitionLog log = topics.log(topic, p);
                if (log != null) {
                    look(topic, log, TimeUnit.MINUTES.toNanos(minutes), unused);
                }
            }
        }
        seen.keySet().retainAll(unused);
    }

    /** 0 for never. Subscriptions of segments are those of their scalable topic. */
    private int minutesOf(Topic topic) {
        if (topic.internal() || topic.name().isSegment()) {
            return 0;
        }
        Integer minutes = TopicPolicies.SUBSCRIPTION_EXPIRATION.applied(policies, topic);
        return minutes == null ? 0 : minutes;
    }

    private void look(Topic topic, PartitionLog log, long mostNanos, Set<Place> unused) throws InterruptedException {
        try {
            Map<String, Acknowledged> idle =
                    log.container().ask(() -> idle(log)).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            Map<String, Acknowledged> expired = new HashMap<>();
            idle.forEach((subscription, acknowledged) -> {
                Place place = new Place(topic.id(), log.partitionId(), subscription);
                unused.add(place);
                Unchanged before = seen.get(place);
                if (before == null || !before.acknowledged.equals(acknowledged)) {
                    seen.put(place, new Unchanged(nanos.getAsLong(), acknowledged));
                } else if (nanos.getAsLong() - before.sinceNanos >= mostNanos) {
                    expired.put(subscription, acknowledged);
                }
            });
            for (var each : expired.entrySet()) {
                delete(topic, log, each.getKey(), each.getValue());
            }
        } catch (ExecutionException | TimeoutException e) {
            LOG.debug("Subscriptions of {} are looked at by a later round", topic.name(), e);
        }
    }

    /** On the loop: subscriptions without consumers, with how much of them is acknowledged. */
    private Map<String, Acknowledged> idle(PartitionLog log) {
        PartitionHub hub = hubs.find(log);
        Map<String, Acknowledged> idle = new HashMap<>();
        for (Cursor cursor : log.subscriptions().all()) {
            boolean used = hub != null && hub.subscriptions().connected(cursor.name()) != null;
            if (!used && !Subscriptions.isInternal(cursor.name())) {
                idle.put(cursor.name(), new Acknowledged(log.leaderEpoch(), cursor.ackedBelow(), cursor.ackedAbove()));
            }
        }
        return idle;
    }

    /** Unless it is in use by now. */
    private void delete(Topic topic, PartitionLog log, String subscription, Acknowledged unchanged)
            throws InterruptedException, ExecutionException, TimeoutException {
        boolean deleted = log.container()
                .<Boolean>ask(answer -> {
                    if (unchanged.equals(idle(log).get(subscription))) {
                        CompactedReads.deleteSubscription(log, subscription, answer.onceDurable(true));
                    } else {
                        answer.complete(false);
                    }
                })
                .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (deleted) {
            LOG.info(
                    "Deleted subscription {} of {}: unused for as long as its policy says", subscription, topic.name());
        }
    }
}
