package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.ALTER;
import static io.sluice.broker.access.Operation.CREATE;
import static io.sluice.broker.access.Operation.DELETE;
import static io.sluice.broker.access.Operation.DESCRIBE;

import io.sluice.broker.access.AccessRules;
import io.sluice.pulsar.namespace.Clusters;
import io.sluice.pulsar.namespace.Namespaces;
import io.sluice.pulsar.namespace.TenantAdmins;
import io.sluice.pulsar.services.GatewayServices;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Tenants and their administrators. Topics may be created in tenants that were not. Their namespaces may be in the clusters that are named.
 *
 * <p>Difference on purpose: an administrator of a tenant does not name others, and does not delete it, both of which Pulsar 4.2 allows.
 */
final class TenantRoutes {
    private static final String TENANT = "/admin/v2/tenants/:tenant";

    private final GatewayServices services;
    private final Namespaces namespaces;
    private final TenantAdmins admins;
    private final Clusters clusters;

    TenantRoutes(GatewayServices services) {
        this.services = services;
        this.namespaces = services.namespaces();
        this.admins = services.tenantAdmins();
        this.clusters = services.replication().clusters();
    }

    void add(Routes routes) {
        routes.cluster(DESCRIBE).get("/admin/v2/tenants", r -> new JsonArray(List.copyOf(namespaces.tenants())));
        routes.tenant(DESCRIBE).get(TENANT, this::tenant);
        routes.tenant(DESCRIBE).get("/admin/v2/namespaces/:tenant", this::listNamespaces);
        routes.cluster(CREATE).put(TENANT, this::create);
        // rules are made and taken away
        routes.cluster(ALTER).post(TENANT, this::update);
        routes.cluster(DELETE).delete(TENANT, this::delete);
    }

    private Object tenant(AdminRequest r) throws AdminException, IOException {
        require(r, "Tenant does not exist");
        return new JsonObject()
                .put("adminRoles", new JsonArray(List.copyOf(admins.of(r.tenant()))))
                .put("allowedClusters", new JsonArray(List.copyOf(new TreeSet<>(clusters.allowed(r.tenant())))));
    }

    private @Nullable Object create(AdminRequest r) throws AdminException, IOException {
        Set<String> roles = check(r);
        r.checkTenant();
        if (!roles.isEmpty() && !services.topics().allowsOnCluster(r.principal(), ALTER)) {
            throw new AdminException(403, "This operation requires super-user access");
        }
        PlaceRoutes.created(namespaces.createTenant(r.tenant()), "Tenant already exist");
        try {
            // also where there are none: rules on these names may be older than the tenant
            set(r, roles);
        } catch (AdminException e) {
            namespaces.deleteTenant(r.tenant());
            throw e;
        }
        clusters.allow(r.tenant(), PlaceRoutes.names(r.json().getJsonArray("allowedClusters")));
        return null;
    }

    private @Nullable Object update(AdminRequest r) throws AdminException, IOException {
        Set<String> roles = check(r);
        require(r, "Tenant does not exist");
        Set<String> given = PlaceRoutes.names(r.json().getJsonArray("allowedClusters"));
        refuseToTakeUsed(r.tenant(), given);
        set(r, roles);
        clusters.allow(r.tenant(), given);
        return null;
    }

    private void refuseToTakeUsed(String tenant, Set<String> left) throws AdminException, IOException {
        for (String namespace : namespaces.of(tenant)) {
            Set<String> gone = new TreeSet<>(clusters.allowed(tenant));
            gone.removeAll(left);
            gone.retainAll(services.replication().of(tenant, namespace));
            gone.remove(clusters.own()); // as one that never said which clusters it is in
            if (!gone.isEmpty()) {
                throw new AdminException(
                        412,
                        "Cannot remove cluster " + gone.iterator().next() + " from tenant " + tenant + ": namespace "
                                + tenant + "/" + namespace + " still has it as a replication cluster");
            }
        }
    }

    private void set(AdminRequest r, Set<String> roles) throws AdminException, IOException {
        try {
            admins.set(r.principal(), r.tenant(), roles);
        } catch (AccessRules.RefusedException e) {
            throw new AdminException(412, String.valueOf(e.getMessage()));
        }
    }

    /** Roles of the tenant in the request's body. */
    private Set<String> check(AdminRequest r) throws AdminException {
        JsonObject tenant = r.json();
        if (r.body().isBlank()) {
            throw new AdminException(412, "TenantInfo is null");
        }
        Set<String> given = PlaceRoutes.names(tenant.getJsonArray("allowedClusters"));
        if (given.isEmpty()) {
            throw new AdminException(412, "Clusters cannot be empty or blank");
        }
        if (!clusters.names().containsAll(given)) {
            throw new AdminException(412, "Clusters do not exist");
        }
        Set<String> roles = new TreeSet<>();
        JsonArray named = tenant.getJsonArray("adminRoles");
        for (Object role : named == null ? new JsonArray() : named) {
            if (!(role instanceof String name) || name.isEmpty()) {
                throw new AdminException(412, "AdminRoles has something that is no role");
            }
            if (!name.strip().equals(name)) {
                throw new AdminException(412, "AdminRoles contains whitespace in the beginning or end.");
            }
            roles.add(name);
        }
        return roles;
    }

    private void require(AdminRequest r, String otherwise) throws AdminException, IOException {
        if (!namespaces.tenants().contains(r.tenant())) {
            throw new AdminException(404, otherwise);
        }
    }

    private @Nullable Object delete(AdminRequest r) throws AdminException, IOException {
        require(r, "Tenant doesn't exist");
        if (!namespaces.of(r.tenant()).isEmpty()) {
            throw new AdminException(409, "The tenant still has active namespaces");
        }
        // before the tenant, so that they are not those of a later one of its name
        set(r, Set.of());
        namespaces.deleteTenant(r.tenant());
        clusters.forget(r.tenant());
        return null;
    }

    private Object listNamespaces(AdminRequest r) throws AdminException, IOException {
        r.checkTenant();
        require(r, "Tenant not found");
        JsonArray names = new JsonArray();
        namespaces.of(r.tenant()).forEach(n -> names.add(r.tenant() + "/" + n));
        return names;
    }
}
