package io.sluice.pulsar.admin;

import io.sluice.pulsar.GatewayServices;
import io.sluice.pulsar.Namespaces;
import io.sluice.pulsar.TopicLists;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Tenants, namespaces, clusters, brokers. Tenants and namespaces are names without policies: every client may use them, and
 * topics may be created where nobody created one.
 */
final class PlaceRoutes {
    private static final String TENANT = "/admin/v2/tenants/:tenant";
    private static final String NAMESPACE = "/admin/v2/namespaces/:tenant/:namespace";

    private final GatewayServices services;
    private final Namespaces namespaces;
    private final Supplier<@Nullable String> health;

    PlaceRoutes(GatewayServices services, Supplier<@Nullable String> health) {
        this.services = services;
        this.health = health;
        this.namespaces = services.namespaces();
    }

    void add(Routes routes) {
        routes.get("/admin/v2/tenants", r -> new JsonArray(List.copyOf(namespaces.tenants())));
        routes.get(TENANT, this::tenant);
        routes.put(TENANT, this::createTenant);
        routes.delete(TENANT, this::deleteTenant);
        routes.get("/admin/v2/namespaces/:tenant", this::listNamespaces);
        routes.get(NAMESPACE, this::namespace);
        routes.put(NAMESPACE, this::createNamespace);
        routes.delete(NAMESPACE, this::deleteNamespace);
        routes.get(NAMESPACE + "/topics", this::topics);
        String cluster = services.config().clusterName();
        routes.get("/admin/v2/clusters", r -> new JsonArray().add(cluster));
        routes.get("/admin/v2/clusters/:cluster", this::cluster);
        routes.get("/admin/v2/brokers/health", r -> health());
        routes.get("/admin/v2/brokers/ready", r -> health());
        routes.get("/admin/v2/brokers", r -> brokers());
        routes.get("/admin/v2/brokers/:cluster", r -> brokers());
    }

    private String health() throws AdminException {
        String wrong = health.get();
        if (wrong != null) {
            throw new AdminException(503, wrong);
        }
        return "ok";
    }

    private JsonArray brokers() {
        return new JsonArray().add(services.config().httpUrl().replaceFirst("^https?://", ""));
    }

    private static @Nullable Object created(boolean isNew, String what) throws AdminException {
        if (!isNew) {
            throw new AdminException(409, what + " already exists");
        }
        return null;
    }

    private Object tenant(AdminRequest r) throws AdminException, IOException {
        requireTenant(r);
        return new JsonObject()
                .put("adminRoles", new JsonArray())
                .put("allowedClusters", new JsonArray().add(services.config().clusterName()));
    }

    private @Nullable Object createTenant(AdminRequest r) throws AdminException, IOException {
        checkClusters(r.json().getJsonArray("allowedClusters"), 412, "Clusters do not exist");
        r.checkTenant();
        return created(namespaces.createTenant(r.tenant()), "Tenant");
    }

    private @Nullable Object createNamespace(AdminRequest r) throws AdminException, IOException {
        r.checkNamespace();
        checkClusters(
                r.json().getJsonArray("replication_clusters"),
                403,
                "Cluster is not in the list of allowed clusters list for tenant " + r.tenant());
        return created(namespaces.createNamespace(r.tenant(), r.namespace()), "Namespace");
    }

    /** None need be named; there is this one, and no other. */
    private void checkClusters(@Nullable JsonArray named, int status, String otherwise) throws AdminException {
        if (named != null && !named.stream().allMatch(services.config().clusterName()::equals)) {
            throw new AdminException(status, otherwise);
        }
    }

    private void requireTenant(AdminRequest r) throws AdminException, IOException {
        if (!namespaces.tenants().contains(r.tenant())) {
            throw new AdminException(404, "Tenant does not exist");
        }
    }

    private @Nullable Object deleteTenant(AdminRequest r) throws AdminException, IOException {
        requireTenant(r);
        if (!namespaces.of(r.tenant()).isEmpty()) {
            throw new AdminException(409, "The tenant still has active namespaces");
        }
        namespaces.deleteTenant(r.tenant());
        return null;
    }

    private Object listNamespaces(AdminRequest r) throws AdminException, IOException {
        r.checkTenant();
        requireTenant(r);
        JsonArray names = new JsonArray();
        namespaces.of(r.tenant()).forEach(n -> names.add(r.tenant() + "/" + n));
        return names;
    }

    private void requireNamespace(AdminRequest r) throws AdminException, IOException {
        r.checkNamespace();
        if (!namespaces.of(r.tenant()).contains(r.namespace())) {
            throw new AdminException(404, "Namespace does not exist");
        }
    }

    /** Policies, of which there are none. */
    private Object namespace(AdminRequest r) throws AdminException, IOException {
        requireNamespace(r);
        return new JsonObject()
                .put(
                        "replication_clusters",
                        new JsonArray().add(services.config().clusterName()))
                .put("deduplicationEnabled", services.config().deduplication())
                .put("schema_compatibility_strategy", "FULL");
    }

    private @Nullable Object deleteNamespace(AdminRequest r) throws AdminException, IOException {
        requireNamespace(r);
        if (namespaces.hasTopics(r.tenant(), r.namespace())) {
            throw new AdminException(409, "Cannot delete non empty namespace");
        }
        namespaces.deleteNamespace(r.tenant(), r.namespace());
        return null;
    }

    private Object topics(AdminRequest r) throws AdminException, IOException {
        r.checkNamespace();
        boolean none = "NON_PERSISTENT".equals(r.find("mode"));
        List<String> names = none ? List.of() : TopicLists.ofNamespace(services.catalogue(), r.tenant(), r.namespace());
        return new JsonArray(List.copyOf(names));
    }

    private Object cluster(AdminRequest r) throws AdminException {
        if (!r.get("cluster").equals(services.config().clusterName())) {
            throw new AdminException(404, "Cluster does not exist");
        }
        return new JsonObject().put("serviceUrl", services.config().httpUrl());
    }
}
