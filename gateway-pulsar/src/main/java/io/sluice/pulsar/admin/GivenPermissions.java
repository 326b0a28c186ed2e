package io.sluice.pulsar.admin;

import io.sluice.broker.access.AccessRule;
import io.sluice.broker.access.AccessRules;
import io.sluice.broker.access.ResourcePattern;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.TopicException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.pulsar.common.policies.data.AuthAction;
import org.apache.pulsar.common.policies.data.AuthPolicies;
import org.jspecify.annotations.Nullable;

/** Permissions in the body of a request that makes a namespace, as by their routes. */
final class GivenPermissions {
    /** Rules on a pattern, and those that they take the place of. */
    private record Grant(ResourcePattern pattern, List<AccessRule> rules, Predicate<AccessRule> replaced) {}

    private final AdminRequest r;
    private final List<Grant> grants = new ArrayList<>();

    /** @throws AdminException one of them cannot be granted */
    GivenPermissions(AdminRequest r, @Nullable AuthPolicies given) throws AdminException {
        this.r = r;
        if (given == null) {
            return;
        }
        add(PermissionRules.namespace(r), given.getNamespaceAuthentication());
        for (var topic : orNone(given.getTopicAuthentication()).entrySet()) {
            add(pattern(topic.getKey()), topic.getValue());
        }
        for (var subscription : orNone(given.getSubscriptionAuthentication()).entrySet()) {
            ResourcePattern pattern = SubscriptionPermissionRoutes.pattern(r, subscription.getKey());
            List<AccessRule> rules = new ArrayList<>();
            for (String role : orEmpty(subscription.getValue())) {
                rules.add(SubscriptionPermissionRoutes.rule(pattern, role));
            }
            grants.add(new Grant(pattern, rules, SubscriptionPermissionRoutes.rolesOf(r, pattern)));
        }
    }

    private static <V> Map<String, V> orNone(@Nullable Map<String, V> given) {
        return given == null ? Map.of() : given;
    }

    private static <T> Set<T> orEmpty(@Nullable Set<T> given) {
        return given == null ? Set.of() : given;
    }

    private void add(ResourcePattern pattern, @Nullable Map<String, Set<AuthAction>> roles) throws AdminException {
        for (var each : orNone(roles).entrySet()) {
            String role = each.getKey();
            grants.add(new Grant(
                    pattern,
                    PermissionRules.granted(pattern, role, orEmpty(each.getValue())),
                    rule -> PermissionRules.isOf(role, pattern, rule)));
        }
    }

    private ResourcePattern pattern(String topic) throws AdminException {
        try {
            PulsarNames.Parsed name = PulsarNames.isNonPersistent(topic)
                    ? PulsarNames.parseNonPersistent(topic)
                    : PulsarNames.parse(topic);
            if (!name.topic().isIn(r.tenant(), r.namespace())) {
                throw new AdminException(400, "the topic " + topic + " is in another namespace");
            }
            return PermissionRules.topic(name);
        } catch (TopicException e) {
            throw AdminException.of(e);
        }
    }

    boolean isEmpty() {
        return grants.isEmpty();
    }

    void grant(AccessRules rules) throws AdminException, IOException {
        for (Grant each : grants) {
            PermissionRules.replace(r, rules, each.pattern, each.rules, each.replaced);
        }
    }

    void takeBack(AccessRules rules) throws IOException {
        for (Grant each : grants) {
            PermissionRules.remove(r, rules, each.rules::contains);
        }
    }
}
