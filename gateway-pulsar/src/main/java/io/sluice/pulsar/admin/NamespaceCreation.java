package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.ALTER;
import static io.sluice.broker.access.Operation.ALTER_CONFIGS;
import static io.sluice.broker.access.Operation.CREATE;

import io.sluice.pulsar.namespace.Clusters;
import io.sluice.pulsar.namespace.NamespacePolicy;
import io.sluice.pulsar.namespace.Namespaces;
import io.sluice.pulsar.namespace.TopicPolicies;
import io.sluice.pulsar.services.GatewayServices;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.pulsar.common.policies.data.BundlesData;
import org.apache.pulsar.common.policies.data.Policies;
import org.jspecify.annotations.Nullable;

/**
 * {@code PUT .../namespaces/:tenant/:namespace}: makes a namespace with the policies of the body, each as if set by its own route. All of them are
 * checked first, and there is no namespace where one is refused. A difference on purpose: Pulsar checks a few of them, and keeps bad ones.
 */
final class NamespaceCreation {
    private static final long LAST = Long.decode(Policies.LAST_BOUNDARY);

    private final GatewayServices services;
    private final Namespaces namespaces;
    private final Clusters clusters;
    private final Gates gates;

    NamespaceCreation(GatewayServices services) {
        this.services = services;
        this.namespaces = services.namespaces();
        this.clusters = services.replication().clusters();
        this.gates = new Gates(services.topics());
    }

    void add(Routes routes) {
        routes.namespace(CREATE).put("/admin/v2/namespaces/:tenant/:namespace", this::create);
    }

    private @Nullable Object create(AdminRequest r) throws AdminException, IOException {
        JsonObject body = r.body().strip().equals("null") ? new JsonObject() : r.json();
        Policies given = GivenPolicies.read(body);
        NamespacePolicy policy = withClusters(r.tenant(), r.namespace(), given);
        checkBundles(given.bundles);
        PoliciesNotHere.refuse(r, body);
        GivenPermissions permissions = new GivenPermissions(r, given.auth_policies);
        authorize(r, policy, permissions);
        PlaceRoutes.created(namespaces.createNamespace(r.tenant(), r.namespace()), "Namespace already exists");
        try {
            set(r, policy, permissions);
        } catch (AdminException | IOException | RuntimeException e) {
            takeBack(r, permissions, e);
            throw e;
        }
        return null;
    }

    private NamespacePolicy withClusters(String tenant, String namespace, Policies given) throws AdminException {
        Set<String> used = orEmpty(given.replication_clusters);
        Set<String> allowed = orEmpty(given.allowed_clusters);
        if (!allowed.isEmpty() && !allowed.containsAll(used)) {
            throw new AdminException(
                    400,
                    "[" + tenant + "/" + namespace + "] All replication clusters should be included in allowed"
                            + " clusters. Repl clusters: " + used + ", allowed clusters: " + allowed);
        }
        for (String cluster : Stream.concat(used.stream(), allowed.stream()).toList()) {
            ReplicationRoutes.requireAllowed(clusters, tenant, cluster);
        }
        if (!used.isEmpty() && !used.contains(clusters.own())) {
            throw new AdminException(412, "Can not leave local cluster out of the replication clusters of a namespace");
        }
        NamespacePolicy policy = GivenPolicies.check(services, given);
        if (!allowed.isEmpty()) {
            allowed.add(clusters.own());
            policy = TopicPolicies.ALLOWED_CLUSTERS.set(policy, allowed);
        }
        return used.size() > 1 ? services.replication().set(policy, used, System.currentTimeMillis()) : policy;
    }

    private static Set<String> orEmpty(@Nullable Set<String> names) {
        return new TreeSet<>(Objects.requireNonNullElse(names, Set.<String>of()));
    }

    /** They must be some; a namespace has one all the same. */
    private static void checkBundles(@Nullable BundlesData bundles) throws AdminException {
        if (bundles == null
                || bundles.getNumBundles() <= 0
                || bundles.getBoundaries() == null
                || bundles.getBoundaries().isEmpty()) {
            return;
        }
        TreeSet<Long> boundaries = new TreeSet<>();
        for (String each : bundles.getBoundaries()) {
            try {
                boundaries.add(Long.decode(each));
            } catch (NumberFormatException e) {
                throw new AdminException(400, "the boundary '" + each + "' of a bundle is no number");
            }
        }
        if (boundaries.first() != 0 || boundaries.last() != LAST) {
            throw new AdminException(
                    400,
                    "Input bundles do not cover the whole hash range. first:" + boundaries.first() + ", last:"
                            + boundaries.last());
        }
    }

    /** Refuses policies to a caller that may not use their routes. */
    private void authorize(AdminRequest r, NamespacePolicy policy, GivenPermissions permissions) throws AdminException {
        if (!policy.equals(NamespacePolicy.NONE)) {
            gates.namespace(ALTER_CONFIGS).pass(r);
        }
        if (!permissions.isEmpty()) {
            gates.tenant(ALTER).pass(r);
        }
    }

    /** Policies that topics without a namespace had under this name end with it. */
    private void set(AdminRequest r, NamespacePolicy policy, GivenPermissions permissions)
            throws AdminException, IOException {
        if (!services.policies().of(r.tenant(), r.namespace()).equals(policy)) {
            services.policies().change(r.tenant(), r.namespace(), before -> policy);
        }
        if (!permissions.isEmpty()) {
            permissions.grant(PermissionRules.of(services));
        }
    }

    private void takeBack(AdminRequest r, GivenPermissions permissions, Exception why) {
        try {
            permissions.takeBack(PermissionRules.of(services));
            services.policies().delete(r.tenant(), r.namespace());
            namespaces.deleteNamespace(r.tenant(), r.namespace());
        } catch (IOException e) {
            why.addSuppressed(e);
        }
    }
}
