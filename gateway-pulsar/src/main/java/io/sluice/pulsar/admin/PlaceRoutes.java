package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.DELETE;
import static io.sluice.broker.access.Operation.DESCRIBE;
import static io.sluice.broker.access.Operation.DESCRIBE_CONFIGS;
import static io.sluice.pulsar.admin.AdminAnswers.await;

import io.sluice.broker.access.Principal;
import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.topic.Topic;
import io.sluice.pulsar.config.PulsarGatewayConfig;
import io.sluice.pulsar.namespace.NamespacePolicy;
import io.sluice.pulsar.namespace.Namespaces;
import io.sluice.pulsar.namespace.TopicPolicies;
import io.sluice.pulsar.services.GatewayServices;
import io.sluice.pulsar.topic.ServiceUrls;
import io.sluice.pulsar.topic.TopicAccess.Serving;
import io.sluice.pulsar.topic.TopicLists;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.apache.pulsar.common.policies.data.BrokerAssignment;
import org.apache.pulsar.common.policies.data.BundlesData;
import org.apache.pulsar.common.policies.data.NamespaceOwnershipStatus;
import org.apache.pulsar.common.policies.data.Policies;
import org.jspecify.annotations.Nullable;

/**
 * Namespaces, brokers. Topics may be created in namespaces that were not; {@link PolicyRoutes} has the policies there are.
 */
final class PlaceRoutes {
    private static final String NAMESPACE = "/admin/v2/namespaces/:tenant/:namespace";
    /** Range of hashes of the one bundle that each namespace has. */
    static final String BUNDLE = Policies.FIRST_BOUNDARY + "_" + Policies.LAST_BOUNDARY;

    private final GatewayServices services;
    private final Namespaces namespaces;
    private final Supplier<@Nullable String> health;
    private final OtherNodes nodes;

    PlaceRoutes(GatewayServices services, Supplier<@Nullable String> health, OtherNodes nodes) {
        this.services = services;
        this.nodes = nodes;
        this.health = health;
        this.namespaces = services.namespaces();
    }

    void add(Routes routes) {
        addNamespaces(routes);
        var look = routes.cluster(DESCRIBE);
        look.get("/admin/v2/brokers/health", r -> health());
        look.get("/admin/v2/brokers/ready", r -> health());
        look.get("/admin/v2/brokers/version", r -> PulsarGatewayConfig.SERVER_VERSION);
        look.get("/admin/v2/brokers/leaderBroker", r -> leader());
        look.get("/admin/v2/brokers", r -> brokers());
        look.get("/admin/v2/brokers/:cluster/:broker/ownedNamespaces", this::ownedNamespaces);
        // last, and for a cluster that is there: else it would answer for routes that are not
        look.get("/admin/v2/brokers/:cluster", r -> {
            requireCluster(r);
            return brokers();
        });
    }

    private void addNamespaces(Routes routes) {
        routes.namespace(DESCRIBE_CONFIGS).get(NAMESPACE, this::namespace);
        routes.namespace(DESCRIBE_CONFIGS).get(NAMESPACE + "/bundles", r -> {
            requireNamespace(r);
            return bundles();
        });
        routes.namespace(DELETE).delete(NAMESPACE, this::deleteNamespace);
        routes.namespace(DESCRIBE).get(NAMESPACE + "/topics", this::topics);
    }

    private String health() throws AdminException {
        String wrong = health.get();
        if (wrong != null) {
            throw new AdminException(503, wrong);
        }
        return "ok";
    }

    /** Nodes that are alive, as far as they have an admin interface. */
    private JsonArray brokers() {
        JsonArray all = new JsonArray();
        services.cluster().nodes().stream()
                .map(this::httpOf)
                .filter(url -> !url.isEmpty())
                .map(AdminTopics::brokerId)
                .forEach(all::add);
        return all;
    }

    private Object ownedNamespaces(AdminRequest r) throws AdminException {
        requireCluster(r);
        String broker = r.get("broker");
        if (AdminTopics.brokerId(services.config().httpUrl()).equals(broker)) {
            return ownedNamespaces(r.principal());
        }
        for (ClusterNode node : services.cluster().nodes()) {
            String url = ServiceUrls.httpOf(services.config(), node); // as other nodes know it
            if (!url.isEmpty() && AdminTopics.brokerId(url).equals(broker)) {
                if (services.cluster().isSelf(node)) {
                    return ownedNamespaces(r.principal());
                }
                throw AdminException.answeredBy(url);
            }
        }
        throw new AdminException(404, "Broker " + broker + " not found");
    }

    /** Bundle of each namespace of which this node serves a partition of a topic that lists show; others may serve other partitions. */
    private Map<String, NamespaceOwnershipStatus> ownedNamespaces(Principal who) {
        Map<String, NamespaceOwnershipStatus> owned = new TreeMap<>();
        for (Topic topic : services.topics().shownTo(who)) {
            String bundle = topic.name().tenant() + "/" + topic.name().namespace() + "/" + BUNDLE;
            if (!topic.internal() && !owned.containsKey(bundle) && servesOneOf(topic)) {
                owned.put(bundle, new NamespaceOwnershipStatus(BrokerAssignment.shared, false, true));
            }
        }
        return owned;
    }

    private boolean servesOneOf(Topic topic) {
        for (int p = 0; p < topic.partitions().size(); p++) {
            if (services.topics().servingNow(topic.name(), p) instanceof Serving.Here) {
                return true;
            }
        }
        return false;
    }

    /** This node where it is not known which one assigns containers. */
    private JsonObject leader() {
        ClusterNode controller = services.cluster().controller();
        String known = controller == null ? "" : httpOf(controller);
        String url = known.isEmpty() ? services.config().httpUrl() : known;
        return new JsonObject().put("serviceUrl", url).put("brokerId", AdminTopics.brokerId(url));
    }

    private String httpOf(ClusterNode node) {
        return services.cluster().isSelf(node)
                ? services.config().httpUrl()
                : ServiceUrls.httpOf(services.config(), node);
    }

    static @Nullable Object created(boolean isNew, String otherwise) throws AdminException {
        if (!isNew) {
            throw new AdminException(409, otherwise);
        }
        return null;
    }

    static Set<String> names(@Nullable JsonArray given) {
        Set<String> names = new TreeSet<>();
        if (given != null) {
            given.forEach(each -> names.add((String) each));
        }
        return names;
    }

    void requireNamespace(AdminRequest r) throws AdminException, IOException {
        if (!namespaces.of(r.tenant()).contains(r.namespace())) {
            throw new AdminException(404, "Namespace does not exist");
        }
    }

    /** Its policies, in Pulsar's class, which has many more. */
    private Object namespace(AdminRequest r) throws AdminException, IOException {
        requireNamespace(r);
        Policies policies = new Policies();
        policies.replication_clusters = Set.of(services.config().clusterName());
        policies.bundles = bundles();
        policies.is_allow_auto_update_schema = true;
        NamespacePolicy set = services.policies().of(r.tenant(), r.namespace());
        policies.persistence = set.persistence();
        policies.deduplicationEnabled = set.deduplication();
        policies.compaction_threshold = set.compactionThreshold();
        policies.message_ttl_in_seconds = set.messageTtl();
        policies.delayed_delivery_policies = set.delayedDelivery();
        policies.backlog_quota_map.putAll(set.backlogQuotas());
        TopicPolicies.ALL.forEach(policy -> policy.show(set, policies));
        return policies;
    }

    /** A namespace is one bundle. */
    private static BundlesData bundles() {
        return BundlesData.builder()
                .boundaries(List.of(Policies.FIRST_BOUNDARY, Policies.LAST_BOUNDARY))
                .numBundles(1)
                .build();
    }

    private @Nullable Object deleteNamespace(AdminRequest r) throws AdminException, IOException {
        requireNamespace(r);
        boolean partitioned = !services.nonPersistent()
                .partitions()
                .in(r.tenant(), r.namespace())
                .isEmpty();
        Set<String> allowed =
                TopicPolicies.ALLOWED_CLUSTERS.ofNamespace(services.policies().of(r.tenant(), r.namespace()));
        if (allowed != null && allowed.size() > 1) {
            throw new AdminException(
                    412,
                    "Cannot delete the global namespace " + r.tenant() + "/" + r.namespace()
                            + ". There are still more than one clusters that it allows.");
        }
        if (partitioned || namespaces.hasTopics(r.tenant(), r.namespace())) {
            throw new AdminException(409, "Cannot delete non empty namespace");
        }
        PermissionRules.forget(r, services);
        namespaces.deleteNamespace(r.tenant(), r.namespace());
        services.policies().delete(r.tenant(), r.namespace());
        await(services.catalogue().namespaces().set(r.tenant(), r.namespace(), null));
        return null;
    }

    private Object topics(AdminRequest r) throws AdminException {
        String mode = r.find("mode");
        List<String> names = new ArrayList<>();
        if (!"NON_PERSISTENT".equals(mode)) {
            names.addAll(TopicLists.ofNamespace(services.topics().topics(r.tenant(), r.namespace())));
        }
        if ("NON_PERSISTENT".equals(mode) || "ALL".equals(mode)) {
            names.addAll(new NonPersistentLists(services, nodes).ofNamespace(r));
        }
        return new JsonArray(names);
    }

    private void requireCluster(AdminRequest r) throws AdminException {
        if (!r.get("cluster").equals(services.config().clusterName())) {
            throw new AdminException(404, "Cluster does not exist");
        }
    }
}
