package io.sluice.pulsar.services;

import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.namespace.NamespacePolicies;
import io.sluice.pulsar.namespace.NamespacePolicy;
import io.sluice.pulsar.namespace.TopicPolicies;
import io.sluice.pulsar.schema.SchemaRules;
import io.sluice.pulsar.topic.TopicAccess;
import java.util.Map;
import java.util.Objects;
import org.apache.pulsar.common.policies.data.SchemaAutoUpdateCompatibilityStrategy;
import org.apache.pulsar.common.policies.data.SchemaCompatibilityStrategy;
import org.jspecify.annotations.Nullable;

/**
 * Rules that topics and namespaces set for schemas: the topic's strategy decides, else its namespace's, else the older policy of its
 * namespace, else {@link SchemaRules#STANDARD}. By the settings as they are now. Any thread.
 */
public record SchemaPolicies(NamespacePolicies policies, TopicAccess topics) {
    /** Refusal of a producer without a schema, in Pulsar's words. */
    public static final String WITHOUT_SCHEMA =
            "Producers cannot connect or send message without a schema to topics with a schema"
                    + " when SchemaValidationEnforced is enabled";

    public SchemaRules of(Topic found) {
        Topic topic = topics.current(found);
        return of(topic.name(), topic.settings());
    }

    /** Rules for a topic with these settings. */
    public SchemaRules of(TopicName name, Map<String, String> settings) {
        SchemaCompatibilityStrategy own = defined(TopicPolicies.SCHEMA_STRATEGY.in(settings));
        SchemaRules rules = of(name);
        return own == null ? rules : new SchemaRules(own, rules.autoUpdate());
    }

    /** Rules for a topic that has none of its own. */
    public SchemaRules of(TopicName name) {
        NamespacePolicy policy = policies.of(name.tenant(), name.namespace());
        SchemaCompatibilityStrategy strategy = defined(TopicPolicies.SCHEMA_STRATEGY.ofNamespace(policy));
        if (strategy == null) {
            SchemaAutoUpdateCompatibilityStrategy older = TopicPolicies.SCHEMA_UPDATE_STRATEGY.ofNamespace(policy);
            strategy = older == null ? null : defined(SchemaCompatibilityStrategy.fromAutoUpdatePolicy(older));
        }
        return new SchemaRules(
                strategy == null ? SchemaRules.STANDARD.strategy() : strategy,
                !Boolean.FALSE.equals(TopicPolicies.SCHEMA_UPDATES.ofNamespace(policy)));
    }

    /** Whether a producer needs a schema where the topic has one. */
    public boolean isEnforced(Topic found) {
        Topic topic = topics.current(found);
        return isEnforced(topic.name(), topic.settings());
    }

    /** The same for a topic with these settings. */
    public boolean isEnforced(TopicName name, Map<String, String> settings) {
        Boolean enforced = TopicPolicies.SCHEMA_ENFORCED.applied(policies, name, settings);
        return Objects.requireNonNull(enforced);
    }

    private static @Nullable SchemaCompatibilityStrategy defined(@Nullable SchemaCompatibilityStrategy strategy) {
        return SchemaCompatibilityStrategy.isUndefined(strategy) ? null : strategy;
    }
}
