package io.sluice.broker.access;

import io.sluice.broker.topic.KafkaNames;
import io.sluice.broker.topic.TopicName;
import org.jspecify.annotations.Nullable;

/** Writes down what another authorizer refuses. */
public final class AuditedAuthorizer implements Authorizer {
    private final Authorizer decides;
    private final AuditLog audit;

    public AuditedAuthorizer(Authorizer decides, AuditLog audit) {
        this.decides = decides;
        this.audit = audit;
    }

    private boolean told(boolean allowed, Principal who, Operation operation, ResourceType type, String name) {
        if (!allowed) {
            audit.refused(who, operation, type, name);
        }
        return allowed;
    }

    @Override
    public boolean allows(Principal who, Operation operation, TopicName topic) {
        if (decides.allows(who, operation, topic)) {
            return true;
        }
        String kafka = KafkaNames.of(topic.whole());
        return told(false, who, operation, ResourceType.TOPIC, kafka == null ? topic.toString() : kafka);
    }

    @Override
    public boolean allows(Principal who, Operation operation, ResourceType type, String name) {
        return told(decides.allows(who, operation, type, name), who, operation, type, name);
    }

    @Override
    public boolean allowsOnNamespace(Principal who, Operation operation, String tenant, String namespace) {
        boolean allowed = decides.allowsOnNamespace(who, operation, tenant, namespace);
        return told(allowed, who, operation, ResourceType.TOPIC, KafkaNames.beginningIn(tenant, namespace));
    }

    @Override
    public boolean allowsOnCluster(Principal who, Operation operation) {
        boolean allowed = decides.allowsOnCluster(who, operation);
        return told(allowed, who, operation, ResourceType.CLUSTER, ResourcePattern.CLUSTER);
    }

    @Override
    public boolean allowsOnAny(Principal who, Operation operation, ResourceType type) {
        return told(decides.allowsOnAny(who, operation, type), who, operation, type, ResourcePattern.EVERY);
    }

    @Override
    public boolean allowsSubscription(Principal who, SubscriptionName subscription) {
        boolean allowed = decides.allowsSubscription(who, subscription);
        return told(allowed, who, Operation.READ, ResourceType.GROUP, subscription.resource());
    }

    @Override
    public boolean administers(Principal who, String tenant) {
        return told(
                decides.administers(who, tenant),
                who,
                Operation.ALL,
                ResourceType.TOPIC,
                KafkaNames.beginningIn(tenant));
    }

    @Override
    public void refused(Principal who, Operation operation, ResourceType type, String name) {
        audit.refused(who, operation, type, name);
    }

    @Override
    public Authorizer quietly() {
        return decides;
    }

    @Override
    public long version() {
        return decides.version();
    }

    @Override
    public @Nullable AccessRules rules() {
        return decides.rules();
    }
}
