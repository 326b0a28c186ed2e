package io.sluice.pulsar.admin;

import io.sluice.broker.access.AccessRule;
import io.sluice.broker.access.AccessRules;
import io.sluice.broker.access.Operation;
import io.sluice.broker.access.ResourcePattern;
import io.sluice.pulsar.services.GatewayServices;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Permissions on several topics with one request, for administrators of the tenants of all of them. Either all topics and actions can be, or nothing
 * changes; permissions as {@link PermissionRoutes} has them.
 */
final class TopicPermissionRoutes {
    private static final String NAMESPACES = "/admin/v2/namespaces";

    private final GatewayServices services;

    TopicPermissionRoutes(GatewayServices services) {
        this.services = services;
    }

    void add(Routes routes) {
        var change = routes.topicsOfBody(Operation.ALTER);
        change.post(NAMESPACES + "/grantPermissionsOnTopics", this::grant);
        change.post(NAMESPACES + "/revokePermissionsOnTopics", this::revoke);
    }

    private record Granted(TopicsRequest.Named named, ResourcePattern pattern, List<AccessRule> rules) {}

    private @Nullable Object grant(TopicsRequest r) throws AdminException, IOException {
        AccessRules rules = PermissionRules.of(services);
        List<Granted> all = new ArrayList<>();
        for (TopicsRequest.Named each : r.topics()) {
            ResourcePattern pattern = PermissionRules.topic(each.name());
            all.add(new Granted(each, pattern, PermissionRules.granted(pattern, each.role(), each.actions())));
        }
        for (Granted each : all) {
            PermissionRules.replace(
                    r.request(),
                    rules,
                    each.pattern,
                    each.rules,
                    rule -> PermissionRules.isOf(each.named.role(), each.pattern, rule));
        }
        return null;
    }

    private @Nullable Object revoke(TopicsRequest r) throws AdminException, IOException {
        AccessRules rules = PermissionRules.of(services);
        for (TopicsRequest.Named each : r.topics()) {
            ResourcePattern pattern = PermissionRules.topic(each.name());
            if (rules.find(rule -> PermissionRules.isOf(each.role(), pattern, rule))
                    .isEmpty()) {
                throw new AdminException(412, "Permissions are not set at the topic level");
            }
        }
        for (TopicsRequest.Named each : r.topics()) {
            ResourcePattern pattern = PermissionRules.topic(each.name());
            PermissionRules.remove(r.request(), rules, rule -> PermissionRules.isOf(each.role(), pattern, rule));
        }
        return null;
    }
}
