package io.sluice.pulsar.admin;

import io.sluice.pulsar.namespace.NamespacePolicy;
import io.sluice.pulsar.namespace.Policy;
import io.sluice.pulsar.namespace.TopicPolicies;
import io.sluice.pulsar.services.GatewayServices;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.pulsar.common.policies.data.BacklogQuota;
import org.apache.pulsar.common.policies.data.Policies;
import org.apache.pulsar.common.policies.data.RetentionPolicies;
import org.apache.pulsar.common.policies.data.SchemaCompatibilityStrategy;
import org.apache.pulsar.common.policies.data.SubscriptionAuthMode;
import org.apache.pulsar.common.policies.data.impl.AutoSubscriptionCreationOverrideImpl;
import org.apache.pulsar.common.policies.data.impl.AutoTopicCreationOverrideImpl;
import org.apache.pulsar.common.policies.data.impl.BacklogQuotaImpl;
import org.apache.pulsar.common.policies.data.impl.DelayedDeliveryPoliciesImpl;
import org.jspecify.annotations.Nullable;

/**
 * Policies in the body of a request that makes a namespace, checked as by their routes. What Pulsar's class has where nothing is set, is not set; and so
 * is what older clients send for that.
 */
final class GivenPolicies {
    private static final int REFUSED = 412;

    private final GatewayServices services;
    private final Policies given;
    private NamespacePolicy policy = NamespacePolicy.NONE;

    private GivenPolicies(GatewayServices services, Policies given) {
        this.services = services;
        this.given = given;
    }

    /** Policies in a body, in Pulsar's class. An empty text says of any of them that it is not set: Go's client sends it. */
    static Policies read(JsonObject body) throws AdminException {
        JsonObject set = new JsonObject();
        body.forEach(each -> {
            if (each.getValue() != null && !"".equals(each.getValue())) {
                set.put(each.getKey(), each.getValue());
            }
        });
        Policies given = Objects.requireNonNull(PolicyRoutes.read(set.encode(), Policies.class));
        requireKnown(set, "schema_compatibility_strategy", given.schema_compatibility_strategy);
        requireKnown(set, "schema_auto_update_compatibility_strategy", given.schema_auto_update_compatibility_strategy);
        requireKnown(set, "subscription_auth_mode", given.subscription_auth_mode);
        return given;
    }

    /** A name that is not known reads as nothing. */
    private static void requireKnown(JsonObject set, String name, @Nullable Object read) throws AdminException {
        if (read == null && set.containsKey(name)) {
            throw new AdminException(400, name + " has no value '" + set.getValue(name) + "'");
        }
    }

    /** The policy of a new namespace, but for its clusters. */
    static NamespacePolicy check(GatewayServices services, Policies given) throws AdminException {
        GivenPolicies checked = new GivenPolicies(services, given);
        checked.takeLimits();
        checked.takeRates();
        checked.takeStorage();
        checked.takeCreation();
        checked.takeSchemas();
        checked.takeClients();
        return checked.policy;
    }

    private <T> void take(Policy<T> of, @Nullable T value) throws AdminException {
        take(of, value, REFUSED);
    }

    private <T> void take(Policy<T> of, @Nullable T value, int refusal) throws AdminException {
        if (value != null) {
            PolicyTable.check(of, value, refusal);
            policy = of.set(policy, value);
        }
    }

    private void takeLimits() throws AdminException {
        take(TopicPolicies.MAX_PRODUCERS, given.max_producers_per_topic);
        take(TopicPolicies.MAX_CONSUMERS, given.max_consumers_per_topic);
        take(TopicPolicies.MAX_CONSUMERS_OF_SUBSCRIPTION, given.max_consumers_per_subscription);
        take(TopicPolicies.MAX_SUBSCRIPTIONS, given.max_subscriptions_per_topic);
        take(TopicPolicies.MAX_TOPICS, given.max_topics_per_namespace);
        take(TopicPolicies.MAX_UNACKED_OF_CONSUMER, unlessNegative(given.max_unacked_messages_per_consumer));
        take(TopicPolicies.MAX_UNACKED_OF_SUBSCRIPTION, unlessNegative(given.max_unacked_messages_per_subscription));
    }

    /** Where nothing is set, Pulsar's clients before 2.7 say -1. */
    private static @Nullable Integer unlessNegative(@Nullable Integer number) {
        return number == null || number < 0 ? null : number;
    }

    private void takeRates() throws AdminException {
        take(TopicPolicies.PUBLISH_RATE, ofOwnCluster("publishMaxMessageRate", given.publishMaxMessageRate));
        // the second name is the older one, and counts where the first is not there
        var older = ofOwnCluster("clusterDispatchRate", given.clusterDispatchRate);
        var rate = ofOwnCluster("topicDispatchRate", given.topicDispatchRate);
        take(TopicPolicies.DISPATCH_RATE, rate == null ? older : rate);
        take(
                TopicPolicies.SUBSCRIPTION_DISPATCH_RATE,
                ofOwnCluster("subscriptionDispatchRate", given.subscriptionDispatchRate));
        take(
                TopicPolicies.REPLICATOR_DISPATCH_RATE,
                ofOwnCluster("replicatorDispatchRate", given.replicatorDispatchRate));
        take(TopicPolicies.SUBSCRIBE_RATE, ofOwnCluster("clusterSubscribeRate", given.clusterSubscribeRate));
    }

    /** Rates are by cluster; the policies of a namespace here are those of this cluster alone. */
    private <T> @Nullable T ofOwnCluster(String name, @Nullable Map<String, T> rates) throws AdminException {
        if (rates == null) {
            return null;
        }
        String own = services.config().clusterName();
        for (String cluster : rates.keySet()) {
            if (!cluster.equals(own)) {
                throw new AdminException(
                        REFUSED,
                        name + " is for the cluster " + cluster + ", and this is " + own
                                + ": set it there, policies are those of one cluster");
            }
        }
        return rates.get(own);
    }

    private void takeStorage() throws AdminException {
        if (given.persistence != null) {
            PolicyRoutes.check(given.persistence);
            policy = policy.withPersistence(given.persistence);
        }
        if (given.deduplicationEnabled != null) {
            policy = services.deduplication().set(policy, given.deduplicationEnabled);
        }
        if (given.compaction_threshold != null) {
            policy = policy.withCompactionThreshold(CompactionRoutes.ofNamespace(given.compaction_threshold));
        }
        take(TopicPolicies.DEDUPLICATION_SNAPSHOT_INTERVAL, given.deduplicationSnapshotIntervalSeconds);
        policy = policy.withMessageTtl(ExpiryRoutes.seconds(given.message_ttl_in_seconds))
                .withDelayedDelivery((DelayedDeliveryPoliciesImpl) given.delayed_delivery_policies);
        take(TopicPolicies.SUBSCRIPTION_EXPIRATION, given.subscription_expiration_time_minutes);
        take(TopicPolicies.INACTIVE_TOPICS, given.inactive_topic_policies);
        takeQuotasAndRetention();
    }

    private void takeQuotasAndRetention() throws AdminException {
        Map<BacklogQuota.BacklogQuotaType, BacklogQuota> quotas =
                Objects.requireNonNullElse(given.backlog_quota_map, Map.of());
        for (var each : quotas.entrySet()) {
            policy = policy.withBacklogQuota(
                    each.getKey(), BacklogQuotaRoutes.check((BacklogQuotaImpl) each.getValue()));
        }
        RetentionPolicies kept = given.retention_policies;
        if (kept != null) {
            take(TopicPolicies.RETENTION, kept, PolicyTable.BAD_RETENTION);
            BacklogQuotaRoutes.check(policy, kept);
        }
    }

    private void takeCreation() throws AdminException {
        take(TopicPolicies.TOPIC_CREATION, (AutoTopicCreationOverrideImpl) given.autoTopicCreationOverride);
        take(TopicPolicies.SUBSCRIPTION_CREATION, (AutoSubscriptionCreationOverrideImpl)
                given.autoSubscriptionCreationOverride);
    }

    private void takeSchemas() throws AdminException {
        SchemaCompatibilityStrategy strategy = given.schema_compatibility_strategy;
        take(TopicPolicies.SCHEMA_STRATEGY, strategy == SchemaCompatibilityStrategy.UNDEFINED ? null : strategy);
        take(TopicPolicies.SCHEMA_UPDATE_STRATEGY, given.schema_auto_update_compatibility_strategy);
        take(TopicPolicies.SCHEMA_UPDATES, given.is_allow_auto_update_schema);
        take(TopicPolicies.SCHEMA_ENFORCED, given.schema_validation_enforced ? true : null);
    }

    private void takeClients() throws AdminException {
        SubscriptionAuthMode mode = given.subscription_auth_mode;
        take(TopicPolicies.SUBSCRIPTION_AUTH_MODE, mode == SubscriptionAuthMode.None ? null : mode);
        take(TopicPolicies.ENCRYPTION_REQUIRED, given.encryption_required ? true : null);
        Set<String> types = Objects.requireNonNullElse(given.subscription_types_enabled, Set.of());
        take(TopicPolicies.SUBSCRIPTION_TYPES, types.isEmpty() ? null : types);
        Map<String, String> properties = Objects.requireNonNullElse(given.properties, Map.of());
        take(TopicPolicies.PROPERTIES, properties.isEmpty() ? null : properties);
        take(TopicPolicies.MIGRATED, given.migrated ? true : null);
        if (given.resource_group_name != null) {
            ResourceGroupRoutes.require(services.resourceGroups(), given.resource_group_name);
            take(TopicPolicies.RESOURCE_GROUP, given.resource_group_name);
        }
    }
}
