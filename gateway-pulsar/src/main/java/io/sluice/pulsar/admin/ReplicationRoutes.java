package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.ALTER_CONFIGS;
import static io.sluice.broker.access.Operation.DESCRIBE_CONFIGS;
import static io.sluice.pulsar.admin.AdminAnswers.await;

import io.sluice.broker.topic.Topic;
import io.sluice.pulsar.namespace.Clusters;
import io.sluice.pulsar.namespace.NamespacePolicies;
import io.sluice.pulsar.namespace.ReplicationPolicies;
import io.sluice.pulsar.namespace.TopicPolicies;
import io.vertx.core.json.JsonArray;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.pulsar.common.policies.data.ClusterDataImpl;
import org.jspecify.annotations.Nullable;

/**
 * Clusters that namespaces and topics are replicated to. Differences on purpose: the server's own cluster has to be among those of a namespace,
 * as among those of a topic; there are no policies of a topic that other clusters get ({@code isGlobal}).
 */
final class ReplicationRoutes {
    private static final String NAMESPACE = "/admin/v2/namespaces/:tenant/:namespace/replication";
    private static final String TOPIC = "/admin/v2/persistent/:tenant/:namespace/:topic/replication";

    private final AdminTopics topics;
    private final PlaceRoutes places;
    private final Clusters clusters;
    private final NamespacePolicies policies;
    private final ReplicationPolicies replication;

    ReplicationRoutes(AdminTopics topics, PlaceRoutes places) {
        this.topics = topics;
        this.places = places;
        this.replication = topics.services().replication();
        this.clusters = replication.clusters();
        this.policies = topics.services().policies();
    }

    void add(Routes routes) {
        routes.namespace(DESCRIBE_CONFIGS).get(NAMESPACE, this::ofNamespace);
        routes.namespace(ALTER_CONFIGS).post(NAMESPACE, this::setOfNamespace);
        routes.wholeTopic(DESCRIBE_CONFIGS).get(TOPIC, this::ofTopic);
        routes.wholeTopic(ALTER_CONFIGS).post(TOPIC, this::setOfTopic);
        routes.wholeTopic(ALTER_CONFIGS).delete(TOPIC, this::removeOfTopic);
    }

    private static JsonArray shown(Set<String> all) {
        return new JsonArray(List.copyOf(new TreeSet<>(all)));
    }

    private Object ofNamespace(AdminRequest r) throws AdminException, IOException {
        places.requireNamespace(r);
        return shown(replication.of(r.tenant(), r.namespace()));
    }

    private Object setOfNamespace(AdminRequest r) throws AdminException, IOException {
        places.requireNamespace(r);
        Set<String> given = given(r);
        for (String cluster : given) {
            check(cluster, given);
            requireAllowed(clusters, r.tenant(), cluster);
            requireAllowed(r.tenant(), r.namespace(), cluster);
        }
        requireOwn(given, "Can not remove local cluster from the replication clusters of a namespace");
        policies.change(r.tenant(), r.namespace(), p -> replication.set(p, given, System.currentTimeMillis()));
        follow();
        return Routes.NOTHING;
    }

    private Object ofTopic(TopicRequest r) throws AdminException {
        Topic topic = topics.topic(r);
        if (r.flag("applied")) {
            return shown(replication.of(topic));
        }
        Set<String> set = TopicPolicies.REPLICATION.ofTopic(topic);
        return set == null ? Routes.NOTHING : shown(set);
    }

    private @Nullable Object setOfTopic(TopicRequest r) throws AdminException {
        Topic topic = topics.topic(r);
        if (r.flag("isGlobal")) {
            throw new AdminException(412, "policies of a topic for all clusters are not kept here: leave isGlobal out");
        }
        Set<String> given = given(r.request());
        requireOwn(given, "Can not remove local cluster from the local topic-level replication clusters policy");
        for (String cluster : given) {
            check(cluster, given);
            requireAllowed(clusters, topic.name().tenant(), cluster);
            requireAllowed(topic.name().tenant(), topic.name().namespace(), cluster);
        }
        change(topic, given);
        return null;
    }

    private @Nullable Object removeOfTopic(TopicRequest r) throws AdminException {
        Topic topic = topics.topic(r);
        change(topic, null);
        return null;
    }

    private void change(Topic topic, @Nullable Set<String> given) throws AdminException {
        Map<String, String> settings = replication.set(topic, given, System.currentTimeMillis());
        await(topics.services().catalogue().configure(topic.name(), settings));
        follow();
    }

    /** Sends all that is written from now on where the policies say, as far as this node serves it; others follow within a second. */
    private void follow() throws AdminException {
        try {
            topics.services().replicators().follow();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AdminException(503, "the server is stopping");
        }
    }

    private static Set<String> given(AdminRequest r) throws AdminException {
        Set<String> given = new TreeSet<>();
        new JsonArray(r.body().isBlank() ? "[]" : r.body()).forEach(each -> given.add((String) each));
        if (given.isEmpty()) {
            throw new AdminException(412, "ClusterIds should not be null or empty");
        }
        return given;
    }

    private void requireOwn(Set<String> given, String otherwise) throws AdminException {
        if (!given.contains(clusters.own())) {
            throw new AdminException(412, otherwise);
        }
    }

    private void check(String cluster, Set<String> with) throws AdminException {
        if (!clusters.names().contains(cluster)) {
            throw new AdminException(403, "Invalid cluster id: " + cluster);
        }
        ClusterDataImpl data = clusters.find(cluster);
        Set<String> peers = data == null ? null : data.getPeerClusterNames();
        if (peers != null && peers.stream().anyMatch(with::contains)) {
            throw new AdminException(
                    409, cluster + "'s peer-clusters " + peers + " can't be part of replication-clusters " + with);
        }
    }

    private void requireAllowed(String tenant, String namespace, String cluster) throws AdminException {
        Set<String> allowed = TopicPolicies.ALLOWED_CLUSTERS.ofNamespace(policies.of(tenant, namespace));
        if (allowed != null && !allowed.contains(cluster)) {
            throw new AdminException(
                    400,
                    "Cluster [" + cluster + "] is not in the list of allowed clusters list for namespace [" + tenant
                            + "/" + namespace + "]");
        }
    }

    static void requireAllowed(Clusters clusters, String tenant, String cluster) throws AdminException {
        if (!clusters.allowed(tenant).contains(cluster)) {
            throw new AdminException(
                    403,
                    "Cluster [" + cluster + "] is not in the list of allowed clusters list for tenant [" + tenant
                            + "]");
        }
    }
}
