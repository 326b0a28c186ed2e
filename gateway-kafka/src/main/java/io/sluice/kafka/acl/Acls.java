package io.sluice.kafka.acl;

import io.sluice.broker.access.AccessRule;
import io.sluice.broker.access.Operation;
import io.sluice.broker.access.ResourcePattern;
import java.util.function.Predicate;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourceType;

/** Access rules as Kafka's ACLs, and back: our names of types and operations are Kafka's. */
final class Acls {
    static final String DISABLED = "No Authorizer is configured.";

    private Acls() {}

    static AclBinding toKafka(AccessRule rule) {
        ResourcePattern resource = rule.resource();
        return new AclBinding(
                new org.apache.kafka.common.resource.ResourcePattern(
                        ResourceType.valueOf(resource.type().name()),
                        resource.name(),
                        resource.prefixed() ? PatternType.PREFIXED : PatternType.LITERAL),
                new AccessControlEntry(
                        rule.principal(),
                        rule.host(),
                        AclOperation.valueOf(rule.operation().name()),
                        rule.allows() ? AclPermissionType.ALLOW : AclPermissionType.DENY));
    }

    static Predicate<AccessRule> picked(AclBindingFilter filter) {
        return rule -> filter.matches(toKafka(rule));
    }

    /** @param acl of types, an operation and a permission that are known and not ANY */
    static AccessRule fromKafka(AclBinding acl) {
        return new AccessRule(
                new ResourcePattern(
                        io.sluice.broker.access.ResourceType.valueOf(
                                acl.pattern().resourceType().name()),
                        acl.pattern().name(),
                        acl.pattern().patternType() == PatternType.PREFIXED),
                acl.entry().principal(),
                acl.entry().host(),
                Operation.valueOf(acl.entry().operation().name()),
                acl.entry().permissionType() == AclPermissionType.ALLOW);
    }
}
