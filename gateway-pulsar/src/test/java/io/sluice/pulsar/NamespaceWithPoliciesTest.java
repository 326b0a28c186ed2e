package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.common.policies.data.AutoSubscriptionCreationOverride;
import org.apache.pulsar.common.policies.data.AutoTopicCreationOverride;
import org.apache.pulsar.common.policies.data.BacklogQuota;
import org.apache.pulsar.common.policies.data.BacklogQuota.BacklogQuotaType;
import org.apache.pulsar.common.policies.data.BacklogQuota.RetentionPolicy;
import org.apache.pulsar.common.policies.data.BundlesData;
import org.apache.pulsar.common.policies.data.DelayedDeliveryPolicies;
import org.apache.pulsar.common.policies.data.InactiveTopicDeleteMode;
import org.apache.pulsar.common.policies.data.InactiveTopicPolicies;
import org.apache.pulsar.common.policies.data.PersistencePolicies;
import org.apache.pulsar.common.policies.data.Policies;
import org.apache.pulsar.common.policies.data.PublishRate;
import org.apache.pulsar.common.policies.data.ResourceGroup;
import org.apache.pulsar.common.policies.data.RetentionPolicies;
import org.apache.pulsar.common.policies.data.SchemaAutoUpdateCompatibilityStrategy;
import org.apache.pulsar.common.policies.data.SchemaCompatibilityStrategy;
import org.apache.pulsar.common.policies.data.SubscribeRate;
import org.apache.pulsar.common.policies.data.SubscriptionAuthMode;
import org.apache.pulsar.common.policies.data.impl.DispatchRateImpl;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A namespace that is made with policies has them as if each had been set by its route, and is not made where one is refused. */
class NamespaceWithPoliciesTest extends ClientTest {
    private static final String NAMESPACE = "acme/app";
    private static final String PATH = "/admin/v2/namespaces/acme/app";
    private static final String CLUSTER = "standalone";
    private static final BacklogQuota QUOTA = BacklogQuota.builder()
            .limitSize(1 << 20)
            .retentionPolicy(RetentionPolicy.producer_exception)
            .build();

    private TestAdmin server;
    private PulsarAdmin admin;

    @BeforeEach
    void startAdmin() throws Exception {
        server = new TestAdmin(gateway);
        admin = server.client();
    }

    @AfterEach
    void stopAdmin() throws Exception {
        server.close();
    }

    @Test
    void eachPolicyIsAnsweredByItsRoute() throws Exception {
        var rates = new ResourceGroup();
        rates.setPublishRateInMsgs(1000);
        admin.resourcegroups().createResourceGroup("guests", rates);
        Policies given = limits();
        given.persistence = new PersistencePolicies(3, 3, 2, 1);
        given.deduplicationEnabled = false;
        given.message_ttl_in_seconds = 7;
        given.subscription_expiration_time_minutes = 8;
        given.compaction_threshold = 9L;
        given.deduplicationSnapshotIntervalSeconds = 60;
        given.retention_policies = new RetentionPolicies(10, 20);
        given.backlog_quota_map.put(BacklogQuotaType.destination_storage, QUOTA);
        given.delayed_delivery_policies =
                DelayedDeliveryPolicies.builder().active(true).tickTime(500).build();
        given.inactive_topic_policies =
                new InactiveTopicPolicies(InactiveTopicDeleteMode.delete_when_no_subscriptions, 100, true);
        given.encryption_required = true;
        given.subscription_auth_mode = SubscriptionAuthMode.Prefix;
        given.subscription_types_enabled = Set.of("Shared");
        given.properties = Map.of("owner", "me");
        given.migrated = true;
        given.resource_group_name = "guests";
        given.bundles = BundlesData.builder().numBundles(16).build();
        admin.namespaces().createNamespace(NAMESPACE, given);

        var of = admin.namespaces();
        assertLimits();
        assertThat(of.getPersistence(NAMESPACE)).isEqualTo(given.persistence);
        assertThat(of.getDeduplicationStatus(NAMESPACE)).isFalse();
        assertThat(of.getNamespaceMessageTTL(NAMESPACE)).isEqualTo(7);
        assertThat(of.getSubscriptionExpirationTime(NAMESPACE)).isEqualTo(8);
        assertThat(of.getCompactionThreshold(NAMESPACE)).isEqualTo(9);
        assertThat(of.getDeduplicationSnapshotInterval(NAMESPACE)).isEqualTo(60);
        assertThat(of.getRetention(NAMESPACE)).isEqualTo(given.retention_policies);
        assertThat(of.getBacklogQuotaMap(NAMESPACE)).isEqualTo(given.backlog_quota_map);
        assertThat(of.getDelayedDelivery(NAMESPACE)).isEqualTo(given.delayed_delivery_policies);
        assertThat(of.getInactiveTopicPolicies(NAMESPACE)).isEqualTo(given.inactive_topic_policies);
        assertThat(of.getEncryptionRequiredStatus(NAMESPACE)).isTrue();
        assertThat(of.getSubscriptionAuthMode(NAMESPACE)).isEqualTo(SubscriptionAuthMode.Prefix);
        assertThat(of.getSubscriptionTypesEnabled(NAMESPACE)).hasSize(1);
        assertThat(of.getProperties(NAMESPACE)).isEqualTo(given.properties);
        assertThat(of.getPolicies(NAMESPACE).migrated).isTrue();
        assertThat(of.getNamespaceResourceGroup(NAMESPACE)).isEqualTo("guests");
        assertThat(of.getBundles(NAMESPACE).getNumBundles()).isOne();
    }

    private static Policies limits() {
        Policies given = new Policies();
        given.max_producers_per_topic = 1;
        given.max_consumers_per_topic = 2;
        given.max_consumers_per_subscription = 3;
        given.max_subscriptions_per_topic = 4;
        given.max_topics_per_namespace = 5;
        given.max_unacked_messages_per_consumer = 6;
        given.max_unacked_messages_per_subscription = 7;
        given.autoTopicCreationOverride = AutoTopicCreationOverride.builder()
                .allowAutoTopicCreation(true)
                .topicType("partitioned")
                .defaultNumPartitions(3)
                .build();
        given.autoSubscriptionCreationOverride = AutoSubscriptionCreationOverride.builder()
                .allowAutoSubscriptionCreation(false)
                .build();
        given.publishMaxMessageRate.put(CLUSTER, new PublishRate(10, 20));
        given.topicDispatchRate.put(CLUSTER, new DispatchRateImpl(1, 2, false, 3));
        given.subscriptionDispatchRate.put(CLUSTER, new DispatchRateImpl(4, 5, false, 6));
        given.replicatorDispatchRate.put(CLUSTER, new DispatchRateImpl(7, 8, false, 9));
        given.clusterSubscribeRate.put(CLUSTER, new SubscribeRate(10, 11));
        given.schema_compatibility_strategy = SchemaCompatibilityStrategy.FULL;
        given.schema_auto_update_compatibility_strategy = SchemaAutoUpdateCompatibilityStrategy.Backward;
        given.is_allow_auto_update_schema = false;
        given.schema_validation_enforced = true;
        return given;
    }

    private void assertLimits() throws Exception {
        Policies given = limits();
        var of = admin.namespaces();
        assertThat(of.getMaxProducersPerTopic(NAMESPACE)).isEqualTo(1);
        assertThat(of.getMaxConsumersPerTopic(NAMESPACE)).isEqualTo(2);
        assertThat(of.getMaxConsumersPerSubscription(NAMESPACE)).isEqualTo(3);
        assertThat(of.getMaxSubscriptionsPerTopic(NAMESPACE)).isEqualTo(4);
        assertThat(of.getMaxTopicsPerNamespace(NAMESPACE)).isEqualTo(5);
        assertThat(of.getMaxUnackedMessagesPerConsumer(NAMESPACE)).isEqualTo(6);
        assertThat(of.getMaxUnackedMessagesPerSubscription(NAMESPACE)).isEqualTo(7);
        assertThat(of.getAutoTopicCreation(NAMESPACE)).isEqualTo(given.autoTopicCreationOverride);
        assertThat(of.getAutoSubscriptionCreation(NAMESPACE)).isEqualTo(given.autoSubscriptionCreationOverride);
        assertThat(of.getPublishRate(NAMESPACE)).isEqualTo(given.publishMaxMessageRate.get(CLUSTER));
        assertThat(of.getDispatchRate(NAMESPACE)).isEqualTo(given.topicDispatchRate.get(CLUSTER));
        assertThat(of.getSubscriptionDispatchRate(NAMESPACE)).isEqualTo(given.subscriptionDispatchRate.get(CLUSTER));
        assertThat(of.getReplicatorDispatchRate(NAMESPACE)).isEqualTo(given.replicatorDispatchRate.get(CLUSTER));
        assertThat(of.getSubscribeRate(NAMESPACE)).isEqualTo(given.clusterSubscribeRate.get(CLUSTER));
        assertThat(of.getSchemaCompatibilityStrategy(NAMESPACE)).isEqualTo(given.schema_compatibility_strategy);
        assertThat(of.getSchemaAutoUpdateCompatibilityStrategy(NAMESPACE))
                .isEqualTo(given.schema_auto_update_compatibility_strategy);
        assertThat(of.getIsAllowAutoUpdateSchema(NAMESPACE)).isFalse();
        assertThat(of.getSchemaValidationEnforced(NAMESPACE)).isTrue();
    }

    @Test
    void clientsAreKeptToThem() throws Exception {
        Policies given = new Policies();
        given.max_producers_per_topic = 1;
        admin.namespaces().createNamespace(NAMESPACE, given);
        String topic = "persistent://acme/app/t";
        try (Producer<byte[]> first = client.newProducer().topic(topic).create()) {
            assertThat(first.isConnected()).isTrue();
            assertThatThrownBy(() -> client.newProducer().topic(topic).create())
                    .isInstanceOf(PulsarClientException.ProducerBusyException.class);
        }
    }

    @Test
    void whatClientsSendByDefaultSetsNothing() throws Exception {
        admin.namespaces().createNamespace("acme/plain");
        var plain = new JsonObject(
                server.ask("GET", "/admin/v2/namespaces/acme/plain").body());
        admin.namespaces().createNamespace("acme/java", new Policies());
        admin.namespaces().createNamespace("acme/bundles", 64);
        admin.namespaces()
                .createNamespace(
                        "acme/boundaries",
                        BundlesData.builder()
                                .boundaries(List.of("0x00000000", "0x80000000", "0xffffffff"))
                                .numBundles(2)
                                .build());
        // Go's client, and Java's of Pulsar 2.6
        Map<String, String> bodies = Map.of(
                "go",
                "{\"offload_threshold\": 0, \"antiAffinityGroup\": \"\", \"schema_compatibility_strategy\": \"\","
                        + " \"subscription_auth_mode\": \"\", \"replication_clusters\": null, \"backlog_quota_map\": null,"
                        + " \"auth_policies\": {\"namespace_auth\": null, \"destination_auth\": null,"
                        + " \"subscription_auth_roles\": null}, \"deleted\": false, \"retention_policies\": null}",
                "older",
                "{\"max_unacked_messages_per_consumer\": -1, \"max_unacked_messages_per_subscription\": -1,"
                        + " \"offload_threshold\": -1, \"latency_stats_sample_rate\": {}}",
                "none",
                "null");
        for (var each : new HashMap<>(bodies).entrySet()) {
            assertThat(server.ask("PUT", "/admin/v2/namespaces/acme/" + each.getKey(), each.getValue())
                            .statusCode())
                    .as(each.getKey())
                    .isEqualTo(204);
        }
        for (String made : List.of("java", "bundles", "boundaries", "go", "older", "none")) {
            assertThat(new JsonObject(server.ask("GET", "/admin/v2/namespaces/acme/" + made)
                            .body()))
                    .as(made)
                    .isEqualTo(plain);
        }
    }

    private void assertIsRefused(int status, String policies) throws Exception {
        var answer = server.ask("PUT", PATH, policies);
        assertThat(answer.statusCode()).as(policies + ": " + answer.body()).isEqualTo(status);
        assertThatThrownBy(() -> admin.namespaces().getPolicies(NAMESPACE))
                .isInstanceOf(PulsarAdminException.NotFoundException.class);
    }

    @Test
    void oneThatCannotBeIsRefusedAndMakesNoNamespace() throws Exception {
        for (String bad : List.of(
                "\"message_ttl_in_seconds\": -1",
                "\"max_producers_per_topic\": -1",
                "\"max_topics_per_namespace\": -1",
                "\"compaction_threshold\": -1",
                "\"subscription_types_enabled\": [\"Most\"]",
                "\"resource_group_name\": \"none\"",
                "\"publishMaxMessageRate\": {\"far\": {\"publishThrottlingRateInMsg\": 1}}",
                "\"inactive_topic_policies\": {\"maxInactiveDurationSeconds\": 5}",
                "\"retention_policies\": {\"retentionTimeInMinutes\": -1, \"retentionSizeInMB\": 1},"
                        + " \"backlog_quota_map\": {\"destination_storage\": {\"limitSize\": 9999999,"
                        + " \"policy\": \"producer_exception\"}}")) {
            assertIsRefused(412, "{\"max_consumers_per_topic\": 7, " + bad + "}");
        }
        for (String bad : List.of(
                "{\"retention_policies\": {\"retentionTimeInMinutes\": 0, \"retentionSizeInMB\": 1}}",
                "{\"persistence\": {\"bookkeeperEnsemble\": 1, \"bookkeeperWriteQuorum\": 2, \"bookkeeperAckQuorum\": 1}}",
                "{\"backlog_quota_map\": {\"destination_storage\": {\"limitSize\": 5}}}",
                "{\"backlog_quota_map\": {\"none\": {\"limitSize\": 5}}}",
                "{\"schema_compatibility_strategy\": \"none\"}",
                "{\"bundles\": {\"boundaries\": [\"0x00000000\", \"0x80000000\"], \"numBundles\": 1}}",
                "{\"bundles\": {\"boundaries\": [\"first\", \"last\"], \"numBundles\": 1}}",
                "{\"deleted\": true}",
                "{\"message_ttl_in_seconds\": \"long\"}",
                "{\"properties\": [1]}",
                "[]")) {
            assertIsRefused(400, bad);
        }
        assertThat(admin.tenants().getTenants()).doesNotContain("acme");
    }

    @Test
    void oneThatIsNotHereIsRefusedWithTheReasonThatItsRouteGives() throws Exception {
        for (String bad : List.of(
                "\"offload_threshold\": 1",
                "\"offload_deletion_lag_ms\": 1000",
                "\"offload_policies\": {\"managedLedgerOffloadDriver\": \"aws-s3\"}",
                "\"entryFilters\": {\"entryFilterNames\": \"some.Filter\"}",
                "\"antiAffinityGroup\": \"group\"")) {
            assertIsRefused(501, "{" + bad + "}");
        }
        assertThat(server.ask("PUT", PATH, "{\"antiAffinityGroup\": \"group\"}").body())
                .contains("antiAffinityGroup", "balanced by measured load");
    }

    @Test
    void aNamespaceThatIsThereKeepsItsPolicies() throws Exception {
        admin.namespaces().createNamespace(NAMESPACE);
        admin.namespaces().setMaxProducersPerTopic(NAMESPACE, 3);
        Policies given = new Policies();
        given.max_producers_per_topic = 1;
        assertThatThrownBy(() -> admin.namespaces().createNamespace(NAMESPACE, given))
                .isInstanceOf(PulsarAdminException.ConflictException.class);
        assertThat(admin.namespaces().getMaxProducersPerTopic(NAMESPACE)).isEqualTo(3);
    }

    @Test
    void ofANamespaceThatWasOnlyItsTopicsNothingIsLeft() throws Exception {
        admin.topics().createNonPartitionedTopic("persistent://acme/app/t");
        admin.namespaces().setMaxProducersPerTopic(NAMESPACE, 3);
        admin.topics().delete("persistent://acme/app/t");
        admin.namespaces().createNamespace(NAMESPACE);
        assertThat(admin.namespaces().getMaxProducersPerTopic(NAMESPACE)).isNull();
    }
}
