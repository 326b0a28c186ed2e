package io.sluice.pulsar.services;

import io.sluice.broker.retention.Retention;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.pulsar.hub.Hubs;
import io.sluice.pulsar.hub.LookAtUse;
import io.sluice.pulsar.hub.LookAtUse.Kind;
import io.sluice.pulsar.hub.LookAtUse.Use;
import io.sluice.pulsar.namespace.NamespacePolicies;
import io.sluice.pulsar.namespace.NamespaceRetention;
import io.sluice.pulsar.namespace.TopicPolicies;
import io.sluice.pulsar.topic.TopicAccess;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.apache.pulsar.common.policies.data.InactiveTopicPolicies;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes topics that no client of either protocol has used for as long as their policy says. The node that serves a topic's first partition looks at
 * all of them, round by round, and remembers since when nothing has changed; so another node, or the same one after a restart, begins anew.
 *
 * <p>Before it is deleted, while no other change of the topic is under way, every partition refuses writers and is looked at again. So what
 * was written before is seen. A hold does not go with a container to another node: a message that the next owner takes between the look and the
 * deletion goes with the topic. Topics without such a policy cost nothing but the look whether they have one.
 */
public final class InactiveTopics {
    private static final Logger LOG = LoggerFactory.getLogger(InactiveTopics.class);
    private static final long PATIENCE_SECONDS = 10;
    /** From the first partition that is held to the deletion; below {@link LookAtUse#HOLD_MILLIS}. */
    private static final long HELD_NANOS = TimeUnit.SECONDS.toNanos(20);

    private final NamespacePolicies policies;
    private final TopicCatalogue catalogue;
    private final TopicAccess topics;
    private final Hubs hubs;
    private final LongSupplier nanos;
    private final OneRound rounds = new OneRound();
    /** Last change of topics with the policy whose first partition is here; by rounds only. */
    private final Map<UUID, Unchanged> seen = new HashMap<>();

    /** @param uses of the partitions; null while one is in use */
    private record Unchanged(long sinceNanos, @Nullable List<Use> uses) {}

    /** @param nanos a clock that only goes on */
    public InactiveTopics(
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
        Set<UUID> here = new HashSet<>();
        for (Topic topic : catalogue.withShadows()) {
            InactiveTopicPolicies policy = policyOf(topic);
            if (policy != null && topics.log(topic, 0) != null) {
                here.add(topic.id());
                look(topic, policy);
            }
        }
        seen.keySet().retainAll(here);
    }

    /** Null if the topic stays. Segments of a scalable topic go with it, and a source is used by its shadow topics. */
    private @Nullable InactiveTopicPolicies policyOf(Topic topic) {
        boolean isSource = !catalogue.shadowsOf(topic.id()).isEmpty();
        if (topic.internal() || topic.name().isSegment() || isSource) {
            return null;
        }
        InactiveTopicPolicies policy = TopicPolicies.INACTIVE_TOPICS.applied(policies, topic);
        return policy != null && policy.isDeleteWhileInactive() ? policy : null;
    }

    private void look(Topic topic, InactiveTopicPolicies policy) throws InterruptedException {
        List<Use> uses = ask(topic, Kind.LOOK, policy);
        Unchanged before = seen.get(topic.id());
        if (uses == null || before == null || !uses.equals(before.uses)) {
            seen.put(topic.id(), new Unchanged(nanos.getAsLong(), uses));
            return;
        }
        long idle = nanos.getAsLong() - before.sinceNanos;
        if (idle >= TimeUnit.SECONDS.toNanos(policy.getMaxInactiveDurationSeconds()) && !isRetained(topic, idle)) {
            delete(topic, policy, uses);
        }
    }

    /** As Pulsar: a topic whose data is to be kept is not deleted before that time is over. Only a retention that was set counts. */
    private boolean isRetained(Topic topic, long idleNanos) {
        Retention set = new NamespaceRetention(policies).of(topic.name()).orElse(new Retention(0, 0));
        long millis = Retention.of(topic, set).millis();
        return millis < 0 || TimeUnit.NANOSECONDS.toMillis(idleNanos) < millis;
    }

    private void delete(Topic topic, InactiveTopicPolicies policy, List<Use> uses) throws InterruptedException {
        seen.remove(topic.id());
        try {
            boolean deleted = catalogue
                    .deleteIf(topic.name(), topic.id(), now -> holds(now, policy, uses))
                    .get();
            if (deleted) {
                LOG.info("Deleted topic {}: unused for {} s", topic.name(), policy.getMaxInactiveDurationSeconds());
            }
        } catch (ExecutionException e) {
            LOG.debug("Inactive topic {} is looked at by a later round", topic.name(), e);
        }
    }

    /** Holds all partitions, and releases them if one of them is in use after all. */
    private boolean holds(Topic topic, InactiveTopicPolicies policy, List<Use> uses) {
        long began = nanos.getAsLong();
        try {
            boolean unused = policy.equals(policyOf(topic)) && uses.equals(ask(topic, Kind.HOLD, policy));
            if (unused && nanos.getAsLong() - began < HELD_NANOS) {
                return true;
            }
            ask(topic, Kind.RELEASE, policy);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return false;
    }

    /** Asks one partition after the other; null where one is in use, or does not answer. */
    private @Nullable List<Use> ask(Topic topic, Kind kind, InactiveTopicPolicies policy) throws InterruptedException {
        LookAtUse step = new LookAtUse(kind, policy.getInactiveTopicDeleteMode(), hubs);
        List<Use> uses = new ArrayList<>();
        boolean unused = true;
        for (int p = 0; p < topic.partitions().size() && (unused || kind == Kind.RELEASE); p++) {
            try {
                Use use = topics.ask(topic, p, step).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
                uses.add(use);
                unused = unused && !use.now();
            } catch (ExecutionException | TimeoutException e) {
                LOG.debug("Partition {} of {} does not tell whether it is in use", p, topic.name(), e);
                unused = false;
            }
        }
        return unused ? uses : null;
    }
}
