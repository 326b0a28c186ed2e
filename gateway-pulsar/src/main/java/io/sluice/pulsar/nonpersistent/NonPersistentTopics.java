package io.sluice.pulsar.nonpersistent;

import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.broker.topic.PulsarNames.Parsed;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.metrics.PulsarMeters;
import io.sluice.pulsar.namespace.NamespacePolicies;
import io.sluice.pulsar.namespace.NonPersistentSettings;
import io.sluice.pulsar.namespace.RatePolicies;
import io.sluice.pulsar.namespace.TopicPolicies;
import io.sluice.pulsar.topic.TopicAccess;
import io.sluice.pulsar.topic.TopicAccess.Serving;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.pulsar.common.policies.data.InactiveTopicPolicies;
import org.jspecify.annotations.Nullable;

/**
 * The non-persistent topics that this node has: those that clients use here, and a minute longer. A topic is at the node that serves one
 * container, which its name says ({@link TopicAccess#servingNonPersistent}). Any thread.
 */
public final class NonPersistentTopics {
    /** Between two looks for topics that go. */
    public static final long LOOK_MILLIS = 1_000;

    /** As Pulsar deletes an inactive topic. */
    private static final long UNUSED_MILLIS = 60_000;

    private static final int MAX_TOPICS = 100_000;

    private final TopicAccess access;
    private final PulsarMeters meters;
    private final NonPersistentPartitions partitions;
    private final NonPersistentSettings settings;
    private final NamespacePolicies policies;
    private final RatePolicies rates;
    private final ConcurrentHashMap<Parsed, NonPersistentTopic> loaded = new ConcurrentHashMap<>();

    public NonPersistentTopics(
            TopicAccess access,
            PulsarMeters meters,
            NonPersistentPartitions partitions,
            NonPersistentSettings settings,
            NamespacePolicies policies,
            RatePolicies rates) {
        this.policies = policies;
        this.rates = rates;
        this.settings = settings;
        this.access = access;
        this.meters = meters;
        this.partitions = partitions;
    }

    /** How many partitions each has. */
    public NonPersistentPartitions partitions() {
        return partitions;
    }

    /** Policies of their own. */
    public NonPersistentSettings settings() {
        return settings;
    }

    /** Null if it is not here now. */
    public @Nullable NonPersistentTopic find(Parsed name) {
        return loaded.get(name);
    }

    /** Finds it, or makes it if topics are made on use, or it is a partition; null if there is none, or too many. */
    public @Nullable NonPersistentTopic open(Parsed name) {
        NonPersistentTopic there = loaded.get(name);
        if (there != null) {
            return there;
        }
        int of = partitions.find(name.topic());
        boolean made = name.partition() >= 0 ? name.partition() < of : of == 0 && access.createsOnUse(name.topic());
        return made ? create(name) : null;
    }

    /** Null if there are too many. */
    public @Nullable NonPersistentTopic create(Parsed name) {
        if (loaded.size() >= MAX_TOPICS) {
            return null;
        }
        return loaded.computeIfAbsent(
                name,
                key -> new NonPersistentTopic(
                        key, PooledByteBufAllocator.DEFAULT, meters, rates.ofNotKept(key.topic())));
    }

    /** Closes it; false if it has clients and these are not to be sent away. */
    public boolean close(Parsed name, boolean force) {
        NonPersistentTopic topic = loaded.get(name);
        if (topic == null) {
            return true;
        }
        boolean closed = topic.close(force);
        if (closed) {
            loaded.remove(name, topic);
        }
        return closed;
    }

    /** Names of those that are here, sorted. */
    public List<Parsed> in(String tenant, String namespace) {
        return loaded.keySet().stream()
                .filter(each -> each.topic().isIn(tenant, namespace))
                .sorted(Comparator.comparing((Parsed each) -> each.topic().local())
                        .thenComparing(Parsed::partition))
                .toList();
    }

    /** Topics of all namespaces that are here. */
    public List<NonPersistentTopic> all() {
        return List.copyOf(loaded.values());
    }

    public int size() {
        return loaded.size();
    }

    /** Closes those that another node has by now, partitions that are no more, and what nobody has used for a time. */
    public void look() {
        long now = System.currentTimeMillis();
        loaded.forEach((name, topic) -> {
            boolean here = access.servingNonPersistent(name) instanceof Serving.Here
                    && (name.partition() < 0 || name.partition() < partitions.find(name.topic()));
            if (!here && topic.close(true)) {
                loaded.remove(name, topic);
            } else if (here && topic.closeIfUnused(now, unusedMillis(name.topic()))) {
                loaded.remove(name, topic);
                if (partitions.find(name.topic()) == 0) {
                    settings.deleteSoon(name.topic());
                }
            }
        });
    }

    /** Time after which a topic goes that nobody uses, by its policy if there is one. */
    private long unusedMillis(TopicName name) {
        InactiveTopicPolicies own = TopicPolicies.INACTIVE_TOPICS.in(settings.of(name));
        InactiveTopicPolicies policy = own == null
                ? TopicPolicies.INACTIVE_TOPICS.ofNamespace(policies.of(name.tenant(), name.namespace()))
                : own;
        if (policy == null) {
            return UNUSED_MILLIS;
        }
        return policy.isDeleteWhileInactive()
                ? TimeUnit.SECONDS.toMillis(policy.getMaxInactiveDurationSeconds())
                : Long.MAX_VALUE;
    }

    /** Sends the clients of those that have migrated on to another cluster. */
    public void migrate(Predicate<TopicName> migrated) {
        loaded.forEach((name, topic) -> {
            if (migrated.test(name.topic())) {
                topic.migrate();
            }
        });
    }

    /** Has the topics keep to the rates that hold by now. */
    public void followRates() {
        loaded.forEach((name, topic) -> topic.follow(rates.ofNotKept(name.topic())));
    }
}
