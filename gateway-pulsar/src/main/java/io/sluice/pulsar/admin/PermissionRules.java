package io.sluice.pulsar.admin;

import io.sluice.broker.access.AccessRule;
import io.sluice.broker.access.AccessRules;
import io.sluice.broker.access.AuditLog;
import io.sluice.broker.access.Operation;
import io.sluice.broker.access.ResourcePattern;
import io.sluice.broker.access.ResourceType;
import io.sluice.broker.access.SubscriptionName;
import io.sluice.broker.topic.KafkaNames;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.pulsar.services.GatewayServices;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** Access rules that are Pulsar's permissions: each allows a user one thing, or everything, from everywhere. */
final class PermissionRules {
    /** Operations by Pulsar's names of actions. */
    static final Map<String, Operation> ACTIONS = Map.of("consume", Operation.READ, "produce", Operation.WRITE);

    private PermissionRules() {}

    /** Where nothing is authorized they are kept, as in Pulsar, and hold once it is. */
    static AccessRules of(GatewayServices services) {
        return services.tenantAdmins().rules();
    }

    /** Topics of the request's namespace. */
    static ResourcePattern namespace(AdminRequest r) {
        return new ResourcePattern(ResourceType.TOPIC, KafkaNames.beginningIn(r.tenant(), r.namespace()), true);
    }

    /** Pattern of the whole topic, whichever of its partitions is named. It need not exist. */
    static ResourcePattern topic(PulsarNames.Parsed named) throws AdminException {
        String name = KafkaNames.of(named.topic());
        if (name == null) {
            throw new AdminException(412, "the topic's name is too long for access rules");
        }
        return new ResourcePattern(ResourceType.TOPIC, name, false);
    }

    /** Rules that let a role do what Pulsar's actions are. */
    static List<AccessRule> granted(ResourcePattern pattern, String role, Iterable<?> actions) throws AdminException {
        List<AccessRule> granted = new ArrayList<>();
        for (Object action : actions) {
            Operation operation = ACTIONS.get(String.valueOf(action));
            if (operation == null) {
                throw new AdminException(400, "the action " + action + " is not supported");
            }
            granted.add(new AccessRule(pattern, AccessRule.USER + role, AccessRule.ANY_HOST, operation, true));
        }
        return granted;
    }

    /** Whether it is a permission of the role on exactly this. */
    static boolean isOf(String role, ResourcePattern pattern, AccessRule rule) {
        return rule.resource().equals(pattern)
                && isPermission(rule)
                && rule.principal().equals(AccessRule.USER + role);
    }

    /** Whether it is one on topics. */
    static boolean isPermission(AccessRule rule) {
        return isOfRole(rule) && (rule.operation() == Operation.ALL || ACTIONS.containsValue(rule.operation()));
    }

    private static boolean isOfRole(AccessRule rule) {
        return rule.allows()
                && rule.host().equals(AccessRule.ANY_HOST)
                && rule.principal().startsWith(AccessRule.USER);
    }

    static String roleOf(AccessRule rule) {
        return rule.principal().substring(AccessRule.USER.length());
    }

    /** Whether it is one on a subscription, of the request's namespace. */
    static Predicate<AccessRule> onSubscriptions(AdminRequest r) {
        String beginning = SubscriptionName.beginningIn(r.tenant(), r.namespace());
        return rule -> rule.resource().type() == ResourceType.GROUP
                && !rule.resource().prefixed()
                && rule.resource().name().startsWith(beginning)
                && rule.operation() == Operation.READ
                && isOfRole(rule);
    }

    /** Adds rules on a pattern, and then removes those that they replace. */
    static void replace(
            AdminRequest r,
            AccessRules rules,
            ResourcePattern pattern,
            List<AccessRule> granted,
            Predicate<AccessRule> replaced)
            throws AdminException, IOException {
        try {
            if (rules.add(pattern, granted) > 0) {
                AuditLog.rules("added", r.principal(), granted);
            }
        } catch (AccessRules.RefusedException e) {
            throw new AdminException(412, String.valueOf(e.getMessage()));
        }
        remove(r, rules, replaced.and(each -> !granted.contains(each)));
    }

    static List<AccessRule> remove(AdminRequest r, AccessRules rules, Predicate<AccessRule> picked) throws IOException {
        List<AccessRule> removed = rules.remove(picked);
        AuditLog.rules("removed", r.principal(), removed);
        return removed;
    }

    /**
     * Removes those of a namespace that is being deleted, and of its subscriptions: a later one of its name has none of them. Those of its topics
     * stay, as Kafka's rules do.
     */
    static void forget(AdminRequest r, GatewayServices services) throws IOException {
        ResourcePattern topics = namespace(r);
        remove(r, of(services), rule -> rule.resource().equals(topics) && isPermission(rule));
        remove(r, of(services), onSubscriptions(r));
    }
}
