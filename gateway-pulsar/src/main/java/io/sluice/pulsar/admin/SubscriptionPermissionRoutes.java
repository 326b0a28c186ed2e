package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.ALTER;
import static io.sluice.broker.access.Operation.DESCRIBE;

import io.sluice.broker.access.AccessRule;
import io.sluice.broker.access.AccessRules;
import io.sluice.broker.access.Operation;
import io.sluice.broker.access.ResourcePattern;
import io.sluice.broker.access.ResourceType;
import io.sluice.broker.access.SubscriptionName;
import io.sluice.pulsar.services.GatewayServices;
import io.vertx.core.json.JsonArray;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Roles that alone may use a namespace's subscriptions of a name, which are access rules: each allows a user to READ the {@code GROUP} of
 * {@link SubscriptionName#resource}, from everywhere. Other rules on it are neither shown nor changed here. Where the last role is revoked, the name is for
 * all again who may consume, as in Pulsar.
 */
final class SubscriptionPermissionRoutes {
    private static final String PERMISSIONS = "/admin/v2/namespaces/:tenant/:namespace/permissions";

    private final GatewayServices services;
    private final PlaceRoutes places;

    SubscriptionPermissionRoutes(GatewayServices services, PlaceRoutes places) {
        this.services = services;
        this.places = places;
    }

    void add(Routes routes) {
        routes.tenant(DESCRIBE).get(PERMISSIONS + "/subscription", this::shown);
        routes.tenant(ALTER).post(PERMISSIONS + "/subscription/:subscription", this::grant);
        routes.tenant(ALTER).delete(PERMISSIONS + "/:subscription/:role", this::revoke);
    }

    private ResourcePattern subscription(AdminRequest r) throws AdminException, IOException {
        r.checkNamespace();
        places.requireNamespace(r);
        return pattern(r, r.get("subscription"));
    }

    /** A subscription of the request's namespace. */
    static ResourcePattern pattern(AdminRequest r, String subscription) {
        var name = new SubscriptionName(r.tenant(), r.namespace(), subscription, false);
        return new ResourcePattern(ResourceType.GROUP, name.resource(), false);
    }

    static AccessRule rule(ResourcePattern subscription, String role) {
        return new AccessRule(subscription, AccessRule.USER + role, AccessRule.ANY_HOST, Operation.READ, true);
    }

    /** Roles by subscription. */
    private Map<String, Set<String>> shown(AdminRequest r) throws AdminException, IOException {
        r.checkNamespace();
        places.requireNamespace(r);
        Map<String, Set<String>> roles = new TreeMap<>();
        String beginning = SubscriptionName.beginningIn(r.tenant(), r.namespace());
        for (AccessRule rule : PermissionRules.of(services).find(PermissionRules.onSubscriptions(r))) {
            roles.computeIfAbsent(rule.resource().name().substring(beginning.length()), _ -> new TreeSet<>())
                    .add(PermissionRules.roleOf(rule));
        }
        return roles;
    }

    static Predicate<AccessRule> rolesOf(AdminRequest r, ResourcePattern subscription) {
        return PermissionRules.onSubscriptions(r).and(rule -> rule.resource().equals(subscription));
    }

    /** These roles may use it then, and no others. */
    private @Nullable Object grant(AdminRequest r) throws AdminException, IOException {
        AccessRules rules = PermissionRules.of(services);
        ResourcePattern subscription = subscription(r);
        List<AccessRule> granted = new ArrayList<>();
        for (Object role : new JsonArray(r.body().isBlank() ? "[]" : r.body())) {
            if (!(role instanceof String name) || name.isEmpty()) {
                throw new AdminException(400, "the request's body must be a list of roles");
            }
            granted.add(rule(subscription, name));
        }
        PermissionRules.replace(r, rules, subscription, granted, rolesOf(r, subscription));
        return null;
    }

    private @Nullable Object revoke(AdminRequest r) throws AdminException, IOException {
        AccessRules rules = PermissionRules.of(services);
        ResourcePattern subscription = subscription(r);
        if (rules.find(rolesOf(r, subscription)).isEmpty()) {
            throw new AdminException(404, "no roles are set for the subscription");
        }
        PermissionRules.remove(r, rules, rule(subscription, r.get("role"))::equals);
        return null;
    }
}
