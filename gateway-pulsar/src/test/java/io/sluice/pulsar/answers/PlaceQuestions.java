package io.sluice.pulsar.answers;

import java.util.Map;
import java.util.TreeMap;

/** Brokers, clusters, tenants, namespaces, and routes that are not there. */
final class PlaceQuestions {
    private static final String TENANTS = "/admin/v2/tenants";
    private static final String NAMESPACES = "/admin/v2/namespaces";
    private static final String OF_CLUSTER = "{\"adminRoles\": [\"me\"], \"allowedClusters\": [\"standalone\"]}";

    private static final String RICH = """
            {"message_ttl_in_seconds": 7, "subscription_expiration_time_minutes": 8, "compaction_threshold": 9,
             "max_producers_per_topic": 1, "max_consumers_per_topic": 2, "max_consumers_per_subscription": 3,
             "max_subscriptions_per_topic": 4, "max_topics_per_namespace": 5, "max_unacked_messages_per_consumer": 6,
             "max_unacked_messages_per_subscription": 7, "deduplicationEnabled": true, "encryption_required": true,
             "retention_policies": {"retentionTimeInMinutes": 10, "retentionSizeInMB": 20},
             "backlog_quota_map": {"destination_storage": {"limitSize": 1000, "policy": "producer_exception"}},
             "persistence": {"bookkeeperEnsemble": 1, "bookkeeperWriteQuorum": 1, "bookkeeperAckQuorum": 1,
                             "managedLedgerMaxMarkDeleteRate": 1.0},
             "topicDispatchRate": {"standalone": {"dispatchThrottlingRateInMsg": 10, "dispatchThrottlingRateInByte": 20,
                                                  "ratePeriodInSecond": 3}},
             "publishMaxMessageRate": {"standalone": {"publishThrottlingRateInMsg": 10, "publishThrottlingRateInByte": 20}},
             "clusterSubscribeRate": {"standalone": {"subscribeThrottlingRatePerConsumer": 5, "ratePeriodInSecond": 10}},
             "delayed_delivery_policies": {"active": true, "tickTime": 500},
             "inactive_topic_policies": {"inactiveTopicDeleteMode": "delete_when_no_subscriptions",
                                         "maxInactiveDurationSeconds": 100, "deleteWhileInactive": false},
             "autoTopicCreationOverride": {"allowAutoTopicCreation": true, "topicType": "partitioned",
                                           "defaultNumPartitions": 3},
             "autoSubscriptionCreationOverride": {"allowAutoSubscriptionCreation": false},
             "schema_compatibility_strategy": "FULL", "is_allow_auto_update_schema": false,
             "schema_validation_enforced": true, "subscription_auth_mode": "Prefix",
             "subscription_types_enabled": ["Shared"], "properties": {"owner": "me"},
             "bundles": {"numBundles": 4}}""";

    /** Policies that are refused, by what is wrong. */
    private static final Map<String, String> BAD = new TreeMap<>(Map.of(
            "TTL", "\"message_ttl_in_seconds\": -1",
            "retention", "\"retention_policies\": {\"retentionTimeInMinutes\": 0, \"retentionSizeInMB\": 1}",
            "persistence",
                    "\"persistence\": {\"bookkeeperEnsemble\": 1, \"bookkeeperWriteQuorum\": 2, \"bookkeeperAckQuorum\": 1}",
            "bundles", "\"bundles\": {\"boundaries\": [\"0x00000000\", \"0x80000000\"], \"numBundles\": 1}",
            "clusters", "\"replication_clusters\": [\"standalone\"], \"allowed_clusters\": [\"none\"]"));

    private final Questions q;

    PlaceQuestions(Questions q) {
        this.q = q;
    }

    void ask() {
        brokers();
        clusters();
        tenants();
        namespaces();
        missingRoutes();
    }

    private void brokers() {
        q.get("health", "/admin/v2/brokers/health");
        q.get("ready", "/admin/v2/brokers/ready");
        q.get("brokers", "/admin/v2/brokers");
        q.get("brokers of a cluster", "/admin/v2/brokers/standalone");
        q.get("brokers of a missing cluster", "/admin/v2/brokers/none");
        q.get("version", "/admin/v2/brokers/version");
        q.get("leader", "/admin/v2/brokers/leaderBroker");
    }

    private void clusters() {
        q.get("clusters", "/admin/v2/clusters");
        q.get("cluster", "/admin/v2/clusters/standalone");
        q.get("missing cluster", "/admin/v2/clusters/none");
        q.get("cluster of a bad name", "/admin/v2/clusters/a,b");
    }

    private void tenants() {
        q.get("tenants before", TENANTS);
        q.put("create tenant", TENANTS + "/acme", OF_CLUSTER);
        q.put("create tenant again", TENANTS + "/acme", OF_CLUSTER);
        q.put("create tenant without clusters", TENANTS + "/t", "{\"allowedClusters\": []}");
        q.put("create another tenant", TENANTS + "/other", OF_CLUSTER);
        q.put("create tenant of a bad name", TENANTS + "/a,b", OF_CLUSTER);
        q.put("create tenant in a missing cluster", TENANTS + "/t", "{\"allowedClusters\": [\"none\"]}");
        q.put("create tenant without body", TENANTS + "/t", "");
        q.put("create tenant with a bad body", TENANTS + "/t", "no JSON");
        q.put("create tenant with a list for body", TENANTS + "/t", "[]");
        q.get("tenants", TENANTS);
        q.get("tenant", TENANTS + "/acme");
        q.get("missing tenant", TENANTS + "/none");
        q.get("tenant of a bad name", TENANTS + "/a,b");
        q.delete("delete missing tenant", TENANTS + "/none");
    }

    private void namespaces() {
        q.get("namespaces of a new tenant", NAMESPACES + "/acme");
        q.get("namespaces of a missing tenant", NAMESPACES + "/none");
        q.get("namespaces of a bad tenant", NAMESPACES + "/a,b");
        q.put("create namespace", NAMESPACES + "/acme/app", "");
        q.put("create namespace again", NAMESPACES + "/acme/app", "");
        q.put(
                "create namespace with policies",
                NAMESPACES + "/acme/policies",
                "{\"replication_clusters\": [\"standalone\"]}");
        q.put(
                "create namespace in a missing cluster",
                NAMESPACES + "/acme/x",
                "{\"replication_clusters\": [\"none\"]}");
        q.put("create namespace with many policies", NAMESPACES + "/acme/rich", RICH);
        q.get("namespace with many policies", NAMESPACES + "/acme/rich");
        q.get("TTL that a namespace was created with", NAMESPACES + "/acme/rich/messageTTL");
        q.get("retention that a namespace was created with", NAMESPACES + "/acme/rich/retention");
        q.get("rate that a namespace was created with", NAMESPACES + "/acme/rich/dispatchRate");
        for (Map.Entry<String, String> bad : BAD.entrySet()) {
            q.put("create namespace with bad " + bad.getKey(), NAMESPACES + "/acme/bad", "{" + bad.getValue() + "}");
        }
        q.put("create namespace of a missing tenant", NAMESPACES + "/nobody/x", "");
        q.put("create namespace of a bad name", NAMESPACES + "/acme/a,b", "");
        q.put("create namespace of a bad tenant", NAMESPACES + "/a,b/x", "");
        q.put("create namespace with a bad body", NAMESPACES + "/acme/x", "no JSON");
        q.get("namespaces", NAMESPACES + "/acme");
        q.get("namespace", NAMESPACES + "/acme/app");
        q.get("namespace with policies", NAMESPACES + "/acme/policies");
        q.get("missing namespace", NAMESPACES + "/acme/none");
        q.get("namespace of a missing tenant", NAMESPACES + "/none/x");
        q.get("namespace of a bad name", NAMESPACES + "/acme/a,b");
        q.get("topics of a new namespace", NAMESPACES + "/acme/app/topics");
        q.get("topics of a missing namespace", NAMESPACES + "/acme/none/topics");
        q.get("topics of a namespace of a missing tenant", NAMESPACES + "/none/x/topics");
        q.get("topics of a bad namespace", NAMESPACES + "/acme/a,b/topics");
        q.delete("delete missing namespace", NAMESPACES + "/acme/none");
        q.delete("delete namespace of a bad name", NAMESPACES + "/acme/a,b");
    }

    private void missingRoutes() {
        q.get("missing route", "/admin/v2/nothing");
        q.get("missing route of a topic", "/admin/v2/persistent/acme/app/t/nothing");
        q.get("missing route of look-ups", "/lookup/v2/nothing");
        q.get("missing version", "/admin/v9/tenants");
        q.ask("method a route does not have", "PATCH", TENANTS, "");
        q.post("another method a route does not have", TENANTS, "{}");
    }

    void askForTheirEnd() {
        q.delete("delete tenant with namespaces", TENANTS + "/acme");
        q.delete("delete namespace with topics", NAMESPACES + "/acme/app");
        q.delete("delete empty namespace", NAMESPACES + "/acme/policies");
        q.delete("delete namespace that was created with policies", NAMESPACES + "/acme/rich");
        q.get("namespaces after", NAMESPACES + "/acme");
        q.delete("delete tenant", TENANTS + "/other");
        q.get("tenants after", TENANTS);
    }
}
