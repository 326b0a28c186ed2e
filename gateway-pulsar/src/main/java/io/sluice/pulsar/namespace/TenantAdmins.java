package io.sluice.pulsar.namespace;

import io.sluice.broker.access.AccessRule;
import io.sluice.broker.access.AccessRules;
import io.sluice.broker.access.AuditLog;
import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.broker.access.ResourcePattern;
import io.sluice.broker.access.ResourceType;
import io.sluice.broker.topic.KafkaNames;
import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Administrators of tenants, which are access rules: each allows a user every operation, from everywhere, on the topics whose names begin with the
 * tenant's. Rules on these names that allow less, deny, or are for groups are no administrators here, and are not changed.
 */
public final class TenantAdmins implements AutoCloseable {
    private final AccessRules rules;
    /** Nothing is authorized: rules are only kept, and count once it is. */
    private final boolean own;

    /**
     * @param authorizing rules by which clients are authorized; null if they are not
     * @param tasks runs what blocks, each on a (virtual) thread of its own
     */
    public TenantAdmins(@Nullable AccessRules authorizing, Metadata metadata, Executor tasks) {
        this.own = authorizing == null;
        this.rules = authorizing == null ? new AccessRules(metadata, tasks) : authorizing;
    }

    /** Before the gateway serves; blocks. */
    public void load() throws IOException {
        if (own) {
            rules.load();
        }
    }

    /** Hears of no more changes. */
    @Override
    public void close() {
        if (own) {
            rules.close();
        }
    }

    /** All access rules: those that hold, or where nothing is authorized those that are kept until it is. */
    public AccessRules rules() {
        return rules;
    }

    private static ResourcePattern topicsOf(String tenant) {
        return new ResourcePattern(ResourceType.TOPIC, KafkaNames.beginningIn(tenant), true);
    }

    private static AccessRule rule(String tenant, String role) {
        return new AccessRule(topicsOf(tenant), AccessRule.USER + role, AccessRule.ANY_HOST, Operation.ALL, true);
    }

    private static boolean isAdmin(AccessRule rule, ResourcePattern topics) {
        return rule.resource().equals(topics)
                && rule.allows()
                && rule.operation() == Operation.ALL
                && rule.host().equals(AccessRule.ANY_HOST)
                && rule.principal().startsWith(AccessRule.USER);
    }

    /** Roles, sorted. Any thread. */
    public Set<String> of(String tenant) {
        ResourcePattern topics = topicsOf(tenant);
        Set<String> roles = new TreeSet<>();
        rules.find(rule -> isAdmin(rule, topics))
                .forEach(rule -> roles.add(rule.principal().substring(AccessRule.USER.length())));
        return roles;
    }

    /**
     * Makes these roles the tenant's administrators, and no others. Blocks.
     *
     * @param by whom the audit log names
     * @throws AccessRules.RefusedException there is no room for them, or one is no role; nothing has changed then
     */
    public void set(Principal by, String tenant, Collection<String> roles)
            throws IOException, AccessRules.RefusedException {
        ResourcePattern topics = topicsOf(tenant);
        List<AccessRule> wanted = new ArrayList<>();
        for (String role : new TreeSet<>(roles)) {
            wanted.add(rule(tenant, role));
        }
        List<AccessRule> before = rules.find(rule -> isAdmin(rule, topics));
        if (rules.add(topics, wanted) > 0) {
            AuditLog.rules(
                    "added",
                    by,
                    wanted.stream().filter(rule -> !before.contains(rule)).toList());
        }
        AuditLog.rules("removed", by, rules.remove(rule -> isAdmin(rule, topics) && !wanted.contains(rule)));
    }
}
