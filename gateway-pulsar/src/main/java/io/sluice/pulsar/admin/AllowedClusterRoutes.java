package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.ALTER_CONFIGS;
import static io.sluice.broker.access.Operation.DESCRIBE_CONFIGS;

import io.sluice.broker.topic.Topic;
import io.sluice.pulsar.namespace.NamespacePolicies;
import io.sluice.pulsar.namespace.ReplicationPolicies;
import io.sluice.pulsar.namespace.TopicPolicies;
import io.vertx.core.json.JsonArray;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Clusters that a namespace, and its topics, may be replicated to: {@code allowedClusters}. Nothing is set where all of the tenant are. A difference
 * on purpose: what a topic says for itself counts, too.
 */
final class AllowedClusterRoutes {
    private static final String NAMESPACE = "/admin/v2/namespaces/:tenant/:namespace/allowedClusters";

    private final AdminTopics topics;
    private final PlaceRoutes places;
    private final NamespacePolicies policies;
    private final ReplicationPolicies replication;

    AllowedClusterRoutes(AdminTopics topics, PlaceRoutes places) {
        this.topics = topics;
        this.places = places;
        this.policies = topics.services().policies();
        this.replication = topics.services().replication();
    }

    void add(Routes routes) {
        routes.namespace(DESCRIBE_CONFIGS).get(NAMESPACE, r -> {
            places.requireNamespace(r);
            Set<String> set = TopicPolicies.ALLOWED_CLUSTERS.ofNamespace(policies.of(r.tenant(), r.namespace()));
            return new JsonArray(set == null ? List.of() : List.copyOf(new TreeSet<>(set)));
        });
        routes.namespace(ALTER_CONFIGS).post(NAMESPACE, this::set);
    }

    private Object set(AdminRequest r) throws AdminException, IOException {
        places.requireNamespace(r);
        if (r.body().isBlank()) {
            throw new AdminException(400, "the request needs a list of clusters");
        }
        Set<String> given = PlaceRoutes.names(new JsonArray(r.body()));
        for (String cluster : given) {
            ReplicationRoutes.requireAllowed(replication.clusters(), r.tenant(), cluster);
        }
        requireAll(given, replication.of(r.tenant(), r.namespace()), "namespace");
        for (Topic topic : topics.services().topics().topics(r.tenant(), r.namespace())) {
            requireAll(given, replication.of(topic), "topic " + topic.name());
        }
        policies.change(r.tenant(), r.namespace(), p -> TopicPolicies.ALLOWED_CLUSTERS.set(p, given));
        return Routes.NOTHING;
    }

    private static void requireAll(Set<String> given, Set<String> used, String by) throws AdminException {
        if (!given.containsAll(used)) {
            throw new AdminException(
                    400,
                    "Allowed clusters do not contain the replication cluster " + new TreeSet<>(used)
                            + ". Please remove the replication cluster if the cluster is not allowed for this " + by);
        }
    }
}
