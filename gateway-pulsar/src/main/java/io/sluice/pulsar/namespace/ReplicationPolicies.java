package io.sluice.pulsar.namespace;

import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicCatalogue;
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
