package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.ALTER;
import static io.sluice.broker.access.Operation.DESCRIBE;

import io.sluice.broker.access.AccessRule;
import io.sluice.broker.access.AccessRules;
import io.sluice.broker.access.Operation;
import io.sluice.broker.access.ResourcePattern;
import io.sluice.pulsar.services.GatewayServices;
import io.vertx.core.json.JsonArray;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Permissions of roles on namespaces and topics, which are access rules: {@code produce} allows a user to WRITE, {@code consume} to READ, from
 * everywhere. A namespace is the beginning of its topics' names. Rules that allow other things, or deny, or are for groups, are neither shown
 * nor changed here.
 *
 * <p>Administrators of the tenant show and change them, and who has the rights that Kafka's requests for rules need. Differences on purpose: actions of
 * functions, sources, sinks and packages are refused, because there are none.
 */
final class PermissionRoutes {
    private static final String NAMESPACE = "/admin/v2/namespaces/:tenant/:namespace/permissions";
    private static final String TOPIC = "/:tenant/:namespace/:topic/permissions";
    /** A non-persistent topic has the rules of the persistent one of its name. */
    private static final List<String> TOPICS =
            List.of("/admin/v2/persistent" + TOPIC, "/admin/v2/non-persistent" + TOPIC);

    private final GatewayServices services;
    private final PlaceRoutes places;

    PermissionRoutes(GatewayServices services, PlaceRoutes places) {
        this.services = services;
        this.places = places;
    }

    void add(Routes routes) {
        var look = routes.tenant(DESCRIBE);
        look.get(NAMESPACE, r -> shown(List.of(namespace(r))));
        var change = routes.tenant(ALTER);
        change.post(NAMESPACE + "/:role", r -> grant(r, namespace(r)));
        change.delete(NAMESPACE + "/:role", r -> revoke(r, namespace(r)));
        for (String topic : TOPICS) {
            look.get(topic, r -> shown(List.of(namespace(r), PermissionRules.topic(r.topic()))));
            change.post(topic + "/:role", r -> grant(r, PermissionRules.topic(r.topic())));
            change.delete(topic + "/:role", this::revokeOnTopic);
        }
    }

    private ResourcePattern namespace(AdminRequest r) throws AdminException, IOException {
        r.checkNamespace();
        places.requireNamespace(r);
        return PermissionRules.namespace(r);
    }

    /** Actions by role. */
    private Map<String, Set<String>> shown(List<ResourcePattern> patterns) {
        Map<String, Set<String>> roles = new TreeMap<>();
        for (AccessRule rule : PermissionRules.of(services)
                .find(each -> patterns.contains(each.resource()) && PermissionRules.isPermission(each))) {
            String role = PermissionRules.roleOf(rule);
            PermissionRules.ACTIONS.forEach((action, operation) -> {
                if (rule.operation() == operation || rule.operation() == Operation.ALL) {
                    roles.computeIfAbsent(role, _ -> new TreeSet<>()).add(action);
                }
            });
        }
        return roles;
    }

    /** A role has the actions of the request then, and no others of these. */
    private @Nullable Object grant(AdminRequest r, ResourcePattern pattern) throws AdminException, IOException {
        AccessRules rules = PermissionRules.of(services);
        String role = r.get("role");
        List<AccessRule> granted =
                PermissionRules.granted(pattern, role, new JsonArray(r.body().isBlank() ? "[]" : r.body()));
        PermissionRules.replace(r, rules, pattern, granted, each -> PermissionRules.isOf(role, pattern, each));
        return null;
    }

    private @Nullable Object revoke(AdminRequest r, ResourcePattern pattern) throws AdminException, IOException {
        PermissionRules.remove(
                r, PermissionRules.of(services), each -> PermissionRules.isOf(r.get("role"), pattern, each));
        return null;
    }

    private @Nullable Object revokeOnTopic(AdminRequest r) throws AdminException, IOException {
        ResourcePattern pattern = PermissionRules.topic(r.topic());
        if (PermissionRules.remove(
                        r, PermissionRules.of(services), each -> PermissionRules.isOf(r.get("role"), pattern, each))
                .isEmpty()) {
            throw new AdminException(412, "Permissions are not set at the topic level");
        }
        return null;
    }
}
