package io.sluice.pulsar.namespace;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;
import org.apache.pulsar.common.policies.data.InactiveTopicDeleteMode;
import org.apache.pulsar.common.policies.data.InactiveTopicPolicies;
import org.apache.pulsar.common.policies.data.PersistencePolicies;
import org.apache.pulsar.common.policies.data.Policies;
import org.apache.pulsar.common.policies.data.PublishRate;
import org.apache.pulsar.common.policies.data.RetentionPolicies;
import org.apache.pulsar.common.policies.data.SchemaAutoUpdateCompatibilityStrategy;
import org.apache.pulsar.common.policies.data.SchemaCompatibilityStrategy;
import org.apache.pulsar.common.policies.data.SubscribeRate;
import org.apache.pulsar.common.policies.data.SubscriptionAuthMode;
import org.apache.pulsar.common.policies.data.TopicType;
import org.apache.pulsar.common.policies.data.impl.AutoSubscriptionCreationOverrideImpl;
import org.apache.pulsar.common.policies.data.impl.AutoTopicCreationOverrideImpl;
import org.apache.pulsar.common.policies.data.impl.DispatchRateImpl;
import org.jspecify.annotations.Nullable;

/** Policies that this server keeps to. A new one is a constant here, a row in {@code PolicyTable}, and code that asks for it. */
public final class TopicPolicies {
    private static final int MOST_PARTITIONS = 10_000;

    private TopicPolicies() {}

    /** Producers that a topic, or a partition, has at a time; 0 for any number. */
    public static final Policy<Integer> MAX_PRODUCERS =
            number("maxProducersPerTopic", (all, n) -> all.max_producers_per_topic = n);

    /** Consumers that a topic, or a partition, has at a time; 0 for any number. */
    public static final Policy<Integer> MAX_CONSUMERS =
            number("maxConsumersPerTopic", (all, n) -> all.max_consumers_per_topic = n);

    /** Consumers that a subscription has at a time; 0 for any number. */
    public static final Policy<Integer> MAX_CONSUMERS_OF_SUBSCRIPTION =
            number("maxConsumersPerSubscription", (all, n) -> all.max_consumers_per_subscription = n);

    /** Subscriptions of a topic, or of a partition; 0 for any number. */
    public static final Policy<Integer> MAX_SUBSCRIPTIONS =
            number("maxSubscriptionsPerTopic", (all, n) -> all.max_subscriptions_per_topic = n);

    /** Topics of a namespace, each partition being one; 0 for any number. */
    public static final Policy<Integer> MAX_TOPICS =
            number("maxTopicsPerNamespace", (all, n) -> all.max_topics_per_namespace = n);

    /** Bytes of a message, or of a batch, that Pulsar's clients publish; 0 for as many as the server takes. */
    public static final Policy<Integer> MAX_MESSAGE_SIZE = number("maxMessageSize", 0, (all, n) -> {});

    /** Messages that a consumer may hold; 0 for any number, null where the server's setting holds. */
    public static final Policy<Integer> MAX_UNACKED_OF_CONSUMER =
            number("maxUnackedMessagesPerConsumer", null, (all, n) -> all.max_unacked_messages_per_consumer = n);

    /** The same of all consumers of a subscription together. */
    public static final Policy<Integer> MAX_UNACKED_OF_SUBSCRIPTION = number(
            "maxUnackedMessagesPerSubscription", null, (all, n) -> all.max_unacked_messages_per_subscription = n);

    /** Minutes after which a subscription that nobody uses is deleted; 0 for never. */
    public static final Policy<Integer> SUBSCRIPTION_EXPIRATION =
            number("subscriptionExpirationTime", 0, (all, n) -> all.subscription_expiration_time_minutes = n);

    /** Copies of a topic's log, which a namespace has elsewhere. Kept and shown only: how many there are is a setting of the server. */
    public static final Policy<PersistencePolicies> PERSISTENCE = new Policy<>(
            "persistence",
            PersistencePolicies.class,
            null,
            value -> null,
            (all, persistence) -> all.persistence = persistence);

    /** Seconds between snapshots of what named producers have sent. Kept and shown only: it is stored with each message. */
    public static final Policy<Integer> DEDUPLICATION_SNAPSHOT_INTERVAL =
            number("deduplicationSnapshotInterval", null, (all, n) -> all.deduplicationSnapshotIntervalSeconds = n);

    /** Whether producers must encrypt what they publish. */
    public static final Policy<Boolean> ENCRYPTION_REQUIRED = new Policy<>(
            "encryptionRequired",
            Boolean.class,
            false,
            value -> null,
            (all, required) -> all.encryption_required = required);

    /** How long a namespace's topics keep what is acknowledged; null where the server's setting holds. */
    public static final Policy<RetentionPolicies> RETENTION = new Policy<>(
            "retention",
            RetentionPolicies.class,
            null,
            TopicPolicies::whyNotRetained,
            (all, retention) -> all.retention_policies = retention);

    /** Kinds of subscriptions that may be used; an empty set for all. */
    @SuppressWarnings({"unchecked", "rawtypes"})
    public static final Policy<Set<String>> SUBSCRIPTION_TYPES = new Policy<>(
            "subscriptionTypesEnabled",
            (Class<Set<String>>) (Class) Set.class,
            Set.of(),
            TopicPolicies::whyNotTypes,
            (all, types) -> all.subscription_types_enabled = new HashSet<>(types));

    /** Whether topics are made when they are used, and how; null where the server's setting holds. */
    public static final Policy<AutoTopicCreationOverrideImpl> TOPIC_CREATION = new Policy<>(
            "autoTopicCreation",
            AutoTopicCreationOverrideImpl.class,
            null,
            TopicPolicies::whyNotCreated,
            (all, creation) -> all.autoTopicCreationOverride = creation);

    /** Whether consumers make the subscriptions that they name. */
    public static final Policy<AutoSubscriptionCreationOverrideImpl> SUBSCRIPTION_CREATION = new Policy<>(
            "autoSubscriptionCreation",
            AutoSubscriptionCreationOverrideImpl.class,
            null,
            value -> null,
            (all, creation) -> all.autoSubscriptionCreationOverride = creation);

    /** Properties of a namespace, or of a topic; nothing here looks at them. */
    @SuppressWarnings({"unchecked", "rawtypes"})
    public static final Policy<Map<String, String>> PROPERTIES = new Policy<>(
            "properties",
            (Class<Map<String, String>>) (Class) Map.class,
            Map.of(),
            value -> null,
            (all, properties) -> all.properties = new HashMap<>(properties));

    /** Messages and bytes that all producers of a topic, or of a partition, may publish in a second. */
    public static final Policy<PublishRate> PUBLISH_RATE = new Policy<>(
            "publishRate",
            PublishRate.class,
            null,
            value -> null,
            (all, rate) -> all.publishMaxMessageRate.put(clusterOf(all), rate));

    /** Messages and bytes that go to all consumers of a topic, or of a partition, in a period. */
    public static final Policy<DispatchRateImpl> DISPATCH_RATE = new Policy<>(
            "dispatchRate",
            DispatchRateImpl.class,
            new DispatchRateImpl(0, 0, false, 1),
            value -> null,
            (all, rate) -> {
                all.topicDispatchRate.put(clusterOf(all), rate);
                all.clusterDispatchRate.put(clusterOf(all), rate);
            });

    /** The same to the consumers of one subscription. */
    public static final Policy<DispatchRateImpl> SUBSCRIPTION_DISPATCH_RATE = new Policy<>(
            "subscriptionDispatchRate",
            DispatchRateImpl.class,
            new DispatchRateImpl(0, 0, false, 1),
            value -> null,
            (all, rate) -> all.subscriptionDispatchRate.put(clusterOf(all), rate));

    /** The same to the consumers of one subscription that has a rate of its own. */
    public static final Policy<SubscriptionRates> SUBSCRIPTION_RATES = new Policy<>(
            "subscriptionRates", SubscriptionRates.class, SubscriptionRates.NONE, value -> null, (all, rates) -> {});

    /** The same that is sent on to each other cluster. */
    public static final Policy<DispatchRateImpl> REPLICATOR_DISPATCH_RATE = new Policy<>(
            "replicatorDispatchRate",
            DispatchRateImpl.class,
            new DispatchRateImpl(0, 0, false, 1),
            value -> value.isRelativeToPublishRate() ? "a rate of replication is not relative to another" : null,
            (all, rate) -> all.replicatorDispatchRate.put(clusterOf(all), rate));

    /** Times that a consumer may subscribe in a period. */
    public static final Policy<SubscribeRate> SUBSCRIBE_RATE = new Policy<>(
            "subscribeRate",
            SubscribeRate.class,
            new SubscribeRate(0, 30),
            value -> null,
            (all, rate) -> all.clusterSubscribeRate.put(clusterOf(all), rate));

    /** How a schema must agree with those before it; null or {@code UNDEFINED} where nothing is set. */
    public static final Policy<SchemaCompatibilityStrategy> SCHEMA_STRATEGY = new Policy<>(
            "schemaCompatibilityStrategy",
            SchemaCompatibilityStrategy.class,
            null,
            value -> null,
            (all, strategy) -> all.schema_compatibility_strategy = strategy);

    /** The same, by the names that Pulsar had before; counts where the other is not set. */
    public static final Policy<SchemaAutoUpdateCompatibilityStrategy> SCHEMA_UPDATE_STRATEGY = new Policy<>(
            "schemaAutoUpdateCompatibilityStrategy",
            SchemaAutoUpdateCompatibilityStrategy.class,
            null,
            value -> null,
            (all, strategy) -> all.schema_auto_update_compatibility_strategy = strategy);

    /** Whether clients of a namespace bring new schemas. */
    public static final Policy<Boolean> SCHEMA_UPDATES = new Policy<>(
            "isAllowAutoUpdateSchema",
            Boolean.class,
            true,
            value -> null,
            (all, allowed) -> all.is_allow_auto_update_schema = allowed);

    /** Whether a producer needs a schema where its topic has one. */
    public static final Policy<Boolean> SCHEMA_ENFORCED = new Policy<>(
            "schemaValidationEnforced",
            Boolean.class,
            false,
            value -> null,
            (all, enforced) -> all.schema_validation_enforced = enforced);

    /** Whether the name of a subscription has to begin with the role of who uses it. */
    public static final Policy<SubscriptionAuthMode> SUBSCRIPTION_AUTH_MODE = new Policy<>(
            "subscriptionAuthMode",
            SubscriptionAuthMode.class,
            SubscriptionAuthMode.None,
            value -> null,
            (all, mode) -> all.subscription_auth_mode = mode);

    /** When a topic that nobody uses is deleted; not where nothing is set. */
    public static final Policy<InactiveTopicPolicies> INACTIVE_TOPICS = new Policy<>(
            "inactiveTopicPolicies",
            InactiveTopicPolicies.class,
            new InactiveTopicPolicies(InactiveTopicDeleteMode.delete_when_no_subscriptions, 60, false),
            TopicPolicies::whyNotInactive,
            (all, inactive) -> all.inactive_topic_policies = inactive);

    /** Clusters that a namespace, or a topic, is in, the server's own among them; null for that one alone. */
    @SuppressWarnings({"unchecked", "rawtypes"})
    public static final Policy<Set<String>> REPLICATION = new Policy<>(
            "replicationClusters",
            (Class<Set<String>>) (Class) Set.class,
            null,
            value -> null,
            (all, clusters) -> all.replication_clusters = new TreeSet<>(clusters));

    /** Whether a namespace's topics have gone to the cluster that {@link ClusterMigration} names. */
    public static final Policy<Boolean> MIGRATED =
            new Policy<>("migrated", Boolean.class, false, value -> null, (all, migrated) -> all.migrated = migrated);

    /** Resource group that a namespace is in; null for none. */
    public static final Policy<String> RESOURCE_GROUP = new Policy<>(
            "resourceGroup", String.class, null, value -> null, (all, group) -> all.resource_group_name = group);

    /** Clusters that those of {@link #REPLICATION} are among; null for all that the tenant may use. */
    @SuppressWarnings({"unchecked", "rawtypes"})
    public static final Policy<Set<String>> ALLOWED_CLUSTERS = new Policy<>(
            "allowedClusters",
            (Class<Set<String>>) (Class) Set.class,
            null,
            value -> null,
            (all, clusters) -> all.allowed_clusters = new TreeSet<>(clusters));

    /** Names of the shadow topics of a topic, as they were given. Kept and shown only: a shadow topic has its source's messages by itself. */
    public static final Policy<List<String>> SHADOW_TOPICS = new Policy<>(
            "shadowTopics", (Class<List<String>>) (Class) List.class, null, value -> null, (all, names) -> {});

    /**
     * When the clusters of {@link #REPLICATION} came in, in milliseconds since the epoch; also of a topic that has none of its own any more. Topics
     * that are older are sent from then on, younger ones from their first message on.
     */
    @SuppressWarnings({"unchecked", "rawtypes"})
    public static final Policy<Map<String, String>> REPLICATED_SINCE = new Policy<>(
            "replicatedSince",
            (Class<Map<String, String>>) (Class) Map.class,
            Map.of(),
            value -> null,
            (all, since) -> {});

    /** Policies that a namespace's page shows. */
    public static final List<Policy<?>> ALL = List.of(
            MAX_PRODUCERS,
            MAX_CONSUMERS,
            MAX_CONSUMERS_OF_SUBSCRIPTION,
            MAX_SUBSCRIPTIONS,
            MAX_TOPICS,
            RETENTION,
            SUBSCRIPTION_TYPES,
            TOPIC_CREATION,
            SUBSCRIPTION_CREATION,
            SUBSCRIPTION_AUTH_MODE,
            PUBLISH_RATE,
            DISPATCH_RATE,
            SUBSCRIPTION_DISPATCH_RATE,
            REPLICATOR_DISPATCH_RATE,
            SUBSCRIBE_RATE,
            SCHEMA_STRATEGY,
            SCHEMA_UPDATE_STRATEGY,
            SCHEMA_UPDATES,
            SCHEMA_ENFORCED,
            INACTIVE_TOPICS,
            MAX_UNACKED_OF_CONSUMER,
            MAX_UNACKED_OF_SUBSCRIPTION,
            SUBSCRIPTION_EXPIRATION,
            ENCRYPTION_REQUIRED,
            DEDUPLICATION_SNAPSHOT_INTERVAL,
            PROPERTIES,
            ALLOWED_CLUSTERS,
            RESOURCE_GROUP,
            MIGRATED,
            // last: until then the server's own is the only cluster that is shown
            REPLICATION);

    /** Settings of a topic without those that are policies; what else is set stays, and so does the time since which it is replicated. */
    public static Map<String, String> withoutAny(Map<String, String> settings) {
        Map<String, String> kept = new HashMap<>(settings);
        Set<String> facts = Set.of(PROPERTIES.setting(), REPLICATED_SINCE.setting());
        kept.keySet().removeIf(name -> name.startsWith(Policy.PREFIX) && !facts.contains(name));
        return kept;
    }

    /** Rates of single subscriptions of a topic with these settings. */
    public static SubscriptionRates subscriptionRates(Map<String, String> settings) {
        SubscriptionRates own = SUBSCRIPTION_RATES.in(settings);
        return own == null ? SubscriptionRates.NONE : own;
    }

    /** Pulsar has rates by cluster: those here are of the server's own. */
    private static String clusterOf(Policies all) {
        return all.replication_clusters.iterator().next();
    }

    private static Policy<Integer> number(String name, BiConsumer<Policies, Integer> shown) {
        return number(name, 0, shown);
    }

    private static Policy<Integer> number(
            String name, @Nullable Integer standard, BiConsumer<Policies, Integer> shown) {
        Function<Integer, @Nullable String> whyNot = n -> n < 0 ? name + " must be 0 or more" : null;
        return new Policy<>(name, Integer.class, standard, whyNot, shown);
    }

    private static @Nullable String whyNotInactive(InactiveTopicPolicies value) {
        return value.getInactiveTopicDeleteMode() == null ? "inactiveTopicDeleteMode must be set" : null;
    }

    /** As Pulsar: a limit of one kind alone makes no sense where the other keeps nothing. */
    private static @Nullable String whyNotRetained(RetentionPolicies value) {
        int minutes = value.getRetentionTimeInMinutes();
        long megabytes = value.getRetentionSizeInMB();
        if (minutes < -1 || megabytes < -1) {
            return "Invalid retention policy: must be 0 and above, or -1 for no limit";
        }
        return (minutes == 0) == (megabytes == 0)
                ? null
                : "Invalid retention policy: both time and size must be 0, or neither";
    }

    private static @Nullable String whyNotTypes(Set<String> value) {
        return value.stream()
                .filter(given -> Stream.of(SubType.values())
                        .noneMatch(type -> type.name().equals(given)))
                .map(given -> "there is no type of subscription '" + given + "'")
                .findFirst()
                .orElse(null);
    }

    private static @Nullable String whyNotCreated(AutoTopicCreationOverrideImpl value) {
        if (!value.isAllowAutoTopicCreation()) {
            return null;
        }
        String type = value.getTopicType();
        Integer partitions = value.getDefaultNumPartitions();
        if (TopicType.NON_PARTITIONED.toString().equals(type)) {
            return partitions == null ? null : "a non-partitioned topic has no number of partitions";
        }
        if (!TopicType.PARTITIONED.toString().equals(type)) {
            return "Unknown topic type [" + type + "]";
        }
        return partitions != null && partitions > 0 && partitions <= MOST_PARTITIONS
                ? null
                : "[defaultNumPartitions] cannot be less than 1 for partition type.";
    }
}
