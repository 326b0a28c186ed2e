package io.sluice.pulsar.namespace;

import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicCatalogue;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Clusters that topics are in. Any thread. */
public final class ReplicationPolicies {
    private final Clusters clusters;
    private final NamespacePolicies policies;
    private final TopicCatalogue catalogue;

    public ReplicationPolicies(Clusters clusters, NamespacePolicies policies, TopicCatalogue catalogue) {
        this.clusters = clusters;
        this.policies = policies;
        this.catalogue = catalogue;
    }

    public Clusters clusters() {
        return clusters;
    }

    /** All that the namespace's topics are in by its policy, the server's own cluster among them. */
    public Set<String> of(String tenant, String namespace) {
        return orOwn(TopicPolicies.REPLICATION.ofNamespace(policies.of(tenant, namespace)));
    }

    /** All that the topic is in, the server's own cluster among them. */
    public Set<String> of(Topic topic) {
        return orOwn(TopicPolicies.REPLICATION.applied(policies, topic));
    }

    /** The namespace's policy with these clusters. */
    public NamespacePolicy set(NamespacePolicy policy, Set<String> given, long now) {
        Map<String, String> since = since(
                orOwn(TopicPolicies.REPLICATION.ofNamespace(policy)),
                TopicPolicies.REPLICATED_SINCE.ofNamespace(policy),
                given,
                now);
        return TopicPolicies.REPLICATED_SINCE.set(TopicPolicies.REPLICATION.set(policy, given), since);
    }

    /** Settings of the topic with these clusters; null for those of its namespace. */
    public Map<String, String> set(Topic topic, @Nullable Set<String> given, long now) {
        Set<String> next =
                given == null ? of(topic.name().tenant(), topic.name().namespace()) : given;
        Map<String, String> since = since(of(topic), TopicPolicies.REPLICATED_SINCE.ofTopic(topic), next, now);
        Map<String, String> settings = TopicPolicies.REPLICATION.set(topic, given);
        settings.putAll(TopicPolicies.REPLICATED_SINCE.asSettings(since));
        return settings;
    }

    /** Adds the time of those that come in, and drops that of those that go. */
    private static Map<String, String> since(
            Set<String> before, @Nullable Map<String, String> known, Set<String> next, long now) {
        Map<String, String> since = new HashMap<>(known == null ? Map.of() : known);
        since.keySet().retainAll(next);
        for (String cluster : next) {
            if (!before.contains(cluster)) {
                since.put(cluster, Long.toString(now));
            }
        }
        return since;
    }

    /** Whether the topic has been in the cluster as long as there has been the topic. */
    public boolean isSince(Topic topic, String cluster) {
        Map<String, String> own = TopicPolicies.REPLICATED_SINCE.ofTopic(topic);
        NamespacePolicy namespace =
                policies.of(topic.name().tenant(), topic.name().namespace());
        Map<String, String> others = TopicPolicies.REPLICATED_SINCE.ofNamespace(namespace);
        String since = own != null && own.containsKey(cluster)
                ? own.get(cluster)
                : others == null ? null : others.get(cluster);
        return since != null && topic.createdAt() >= Long.parseLong(since);
    }

    private Set<String> orOwn(@Nullable Set<String> set) {
        return set == null ? Set.of(clusters.own()) : set;
    }

    /** Whether a namespace or a topic is in the cluster by its policy. */
    public boolean isUsed(String cluster) {
        return policies.all().stream().anyMatch(each -> has(TopicPolicies.REPLICATION.ofNamespace(each), cluster))
                || catalogue.all().stream().anyMatch(each -> has(TopicPolicies.REPLICATION.ofTopic(each), cluster));
    }

    private static boolean has(@Nullable Set<String> of, String cluster) {
        return of != null && of.contains(cluster);
    }
}
