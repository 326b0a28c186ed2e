package io.sluice.pulsar.answers;

import java.util.List;
import java.util.Objects;

/** Policies that are one value each: where none is set, set, shown, removed; bad ones; and those of what is not there. */
final class PolicyTableQuestions {
    private static final String NAMESPACE = "/admin/v2/namespaces/acme/app/";
    private static final String NO_NAMESPACE = "/admin/v2/namespaces/acme/none/";
    private static final String TOPIC = "/admin/v2/persistent/acme/app/t/";
    private static final String NO_TOPIC = "/admin/v2/persistent/acme/app/missing/";
    private static final String LIVE = "/admin/v2/non-persistent/acme/app/tlive/";
    private static final String NO_LIVE = "/admin/v2/non-persistent/acme/app/nolive/";
    private static final String DISPATCH =
            "{\"dispatchThrottlingRateInMsg\": 1000, \"dispatchThrottlingRateInByte\": 100000,"
                    + " \"relativeToPublishRate\": true, \"ratePeriodInSecond\": 2}";
    private static final String CREATION =
            "{\"allowAutoTopicCreation\": true, \"topicType\": \"partitioned\", \"defaultNumPartitions\": 3}";

    private final Questions q;

    PolicyTableQuestions(Questions q) {
        this.q = q;
    }

    /**
     * @param ofNamespace last element of its path; empty if only topics have it
     * @param ofTopic the same of a topic; empty if only namespaces have it
     * @param bad a value that is refused; empty if none is
     */
    private record Asked(String ofNamespace, String ofTopic, String value, String bad) {}

    private static final List<Asked> ALL = List.of(
            new Asked("maxProducersPerTopic", "maxProducers", "5", "-1"),
            new Asked("maxConsumersPerTopic", "maxConsumers", "5", "-1"),
            new Asked("maxConsumersPerSubscription", "maxConsumersPerSubscription", "5", "-1"),
            new Asked("maxSubscriptionsPerTopic", "maxSubscriptionsPerTopic", "5", "-1"),
            new Asked("maxTopicsPerNamespace", "", "500", "-1"),
            new Asked(
                    "retention",
                    "",
                    "{\"retentionTimeInMinutes\": 60, \"retentionSizeInMB\": 100}",
                    "{\"retentionTimeInMinutes\": 0, \"retentionSizeInMB\": 100}"),
            new Asked(
                    "subscriptionTypesEnabled",
                    "subscriptionTypesEnabled",
                    "[\"Exclusive\", \"Failover\", \"Shared\"]",
                    "[\"None\"]"),
            new Asked("autoTopicCreation", "", CREATION, CREATION.replace("3", "-3")),
            new Asked(
                    "autoSubscriptionCreation",
                    "autoSubscriptionCreation",
                    "{\"allowAutoSubscriptionCreation\": true}",
                    ""),
            new Asked(
                    "publishRate",
                    "publishRate",
                    "{\"publishThrottlingRateInMsg\": 1000, \"publishThrottlingRateInByte\": 100000}",
                    ""),
            new Asked("dispatchRate", "dispatchRate", DISPATCH, ""),
            new Asked("subscriptionDispatchRate", "subscriptionDispatchRate", DISPATCH, ""),
            new Asked("replicatorDispatchRate", "replicatorDispatchRate", DISPATCH.replace("true", "false"), ""),
            new Asked(
                    "subscribeRate",
                    "subscribeRate",
                    "{\"subscribeThrottlingRatePerConsumer\": 10, \"ratePeriodInSecond\": 30}",
                    ""),
            new Asked("subscriptionExpirationTime", "subscriptionExpirationTime", "60", "-1"),
            new Asked("maxUnackedMessagesPerConsumer", "maxUnackedMessagesOnConsumer", "500", "-1"),
            new Asked("maxUnackedMessagesPerSubscription", "maxUnackedMessagesOnSubscription", "5000", "-1"),
            new Asked("", "maxMessageSize", "100000", "-1"),
            new Asked("", "s/dispatchRate", DISPATCH, ""),
            new Asked(
                    "",
                    "persistence",
                    "{\"bookkeeperEnsemble\": 3, \"bookkeeperWriteQuorum\": 3, \"bookkeeperAckQuorum\": 2,"
                            + " \"managedLedgerMaxMarkDeleteRate\": 0.0}",
                    "{\"bookkeeperEnsemble\": 2, \"bookkeeperWriteQuorum\": 3, \"bookkeeperAckQuorum\": 2,"
                            + " \"managedLedgerMaxMarkDeleteRate\": 0.0}"),
            new Asked(
                    "inactiveTopicPolicies",
                    "inactiveTopicPolicies",
                    "{\"inactiveTopicDeleteMode\": \"delete_when_subscriptions_caught_up\","
                            + " \"maxInactiveDurationSeconds\": 3600, \"deleteWhileInactive\": true}",
                    ""));

    void ask() {
        for (Asked each : ALL) {
            if (!each.ofNamespace.isEmpty()) {
                ask(each.ofNamespace, "a namespace", NAMESPACE, NO_NAMESPACE, each);
            }
            if (!each.ofTopic.isEmpty()) {
                ask(each.ofTopic, "a topic", TOPIC, NO_TOPIC, each);
            }
        }
        authMode("subscriptionAuthMode");
        encryption("encryptionRequired");
        allPolicies();
        properties();
        q.get("bundles of a namespace", NAMESPACE + "bundles");
        q.get("bundles of a missing namespace", NO_NAMESPACE + "bundles");
        places();
    }

    /** Asks about topics whose messages are not kept, which have the same policies but for how they are kept. */
    void askOfLive() {
        q.put("create live topic with policies", LIVE.replace("/tlive/", "/tlive"), "");
        for (Asked each : ALL) {
            if (!each.ofTopic.isEmpty() && !each.ofTopic.equals("persistence")) {
                ask(each.ofTopic, "a live topic", LIVE, NO_LIVE, each);
            }
        }
        String topic = LIVE + "properties";
        q.get("properties of a live topic", topic);
        q.put("set properties of a live topic", topic, "{\"since\": \"now\"}");
        q.get("properties of a live topic with some", topic);
        q.delete("remove a property of a live topic", topic + "?key=since");
        q.get("properties of a live topic after removal", topic);
        q.post("set a policy of a live topic before all are removed", LIVE + "maxProducers", "7");
        q.getUntil(
                "a policy of a live topic before all are removed",
                LIVE + "maxProducers",
                a -> Integer.valueOf(7).equals(a.body()));
        q.delete("remove all policies of a live topic", LIVE + "policies");
        q.getUntil(
                "a policy of a live topic after all are removed",
                LIVE + "maxProducers",
                a -> !Integer.valueOf(7).equals(a.body()));
        q.delete("remove all policies of a missing live topic", NO_LIVE + "policies");
    }

    private void ask(String name, String of, String path, String missing, Asked asked) {
        String policy = name + " of " + of;
        Answer unset = q.answer("GET", path + name, "");
        q.get(policy + " where none is set", path + name);
        q.post("set " + policy, given(of, path, name, asked.value), asked.value);
        q.getUntil(policy, path + name, a -> !Objects.equals(a.body(), unset.body()));
        if (of.equals("a namespace")) {
            q.get("namespace with " + policy, "/admin/v2/namespaces/acme/app");
        } else {
            q.get(policy + " as it is applied", path + name + "?applied=true");
        }
        if (!asked.bad.isEmpty()) {
            q.post("set bad " + policy, given(of, path, name, asked.bad), asked.bad);
        }
        q.post("set " + policy + " with a bad body", path + name, "no JSON");
        q.post("set " + policy + " that is missing", missing + name, asked.value);
        q.get(policy + " that is missing", missing + name);
        q.delete("remove " + policy, path + name);
        q.getUntil(policy + " after removal", path + name, a -> Objects.equals(a.body(), unset.body()));
    }

    /** Of a topic the time after which subscriptions expire is a parameter. */
    private static String given(String of, String path, String name, String value) {
        return path
                + name
                + (!of.equals("a namespace") && name.equals("subscriptionExpirationTime")
                        ? "?" + name + "=" + value
                        : "");
    }

    private void authMode(String name) {
        q.get(name + " where none is set", NAMESPACE + name);
        q.post("set " + name, NAMESPACE + name, "\"Prefix\"");
        q.getUntil(name, NAMESPACE + name, a -> "Prefix".equals(a.body()));
        q.get("namespace with " + name, "/admin/v2/namespaces/acme/app");
        q.post("set " + name + " with a bad body", NAMESPACE + name, "\"Suffix\"");
        q.post("set " + name + " of a missing namespace", NO_NAMESPACE + name, "\"Prefix\"");
        q.get(name + " of a missing namespace", NO_NAMESPACE + name);
        q.post("set " + name + " without a body", NAMESPACE + name, "");
        q.getUntil(name + " without a body", NAMESPACE + name, a -> "None".equals(a.body()));
    }

    private void encryption(String name) {
        q.get(name + " where none is set", NAMESPACE + name);
        q.post("set " + name, NAMESPACE + name, "true");
        q.getUntil(name, NAMESPACE + name, a -> Boolean.TRUE.equals(a.body()));
        q.get("namespace with " + name, "/admin/v2/namespaces/acme/app");
        q.post("set " + name + " with a bad body", NAMESPACE + name, "no JSON");
        q.post("set " + name + " of a missing namespace", NO_NAMESPACE + name, "true");
        q.get(name + " of a missing namespace", NO_NAMESPACE + name);
        q.post("set " + name + " to nothing", NAMESPACE + name, "false");
        q.getUntil(name + " after that", NAMESPACE + name, a -> Boolean.FALSE.equals(a.body()));
    }

    private void allPolicies() {
        q.post("set a policy of a topic before all are removed", TOPIC + "maxProducers", "7");
        q.getUntil(
                "a policy of a topic before all are removed",
                TOPIC + "maxProducers",
                a -> Integer.valueOf(7).equals(a.body()));
        q.delete("remove all policies of a topic", TOPIC + "policies");
        q.getUntil(
                "a policy of a topic after all are removed",
                TOPIC + "maxProducers",
                a -> !Integer.valueOf(7).equals(a.body()));
        q.delete("remove all policies of a missing topic", NO_TOPIC + "policies");
    }

    private void places() {
        q.post(
                "update tenant",
                "/admin/v2/tenants/acme",
                "{\"adminRoles\": [], \"allowedClusters\": [\"standalone\"]}");
        q.post("update a missing tenant", "/admin/v2/tenants/none", "{\"allowedClusters\": [\"standalone\"]}");
        q.post("update tenant to a missing cluster", "/admin/v2/tenants/acme", "{\"allowedClusters\": [\"none\"]}");
        q.get("replication of a namespace", NAMESPACE + "replication");
        q.post("set replication of a namespace", NAMESPACE + "replication", "[\"standalone\"]");
        q.post("set replication to a missing cluster", NAMESPACE + "replication", "[\"none\"]");
        q.get("replication of a missing namespace", NO_NAMESPACE + "replication");
        q.get("peers of the cluster", "/admin/v2/clusters/standalone/peers");
        q.get("peers of a missing cluster", "/admin/v2/clusters/none/peers");
        q.put("create subscription in a namespace", "/admin/v2/persistent/acme/app/t/subscription/common", "");
        q.post("clear backlog of a namespace", NAMESPACE + "clearBacklog/common", "");
        q.post("clear backlog of a missing namespace", NO_NAMESPACE + "clearBacklog/common", "");
        q.post("unsubscribe in a namespace", NAMESPACE + "unsubscribe/common", "");
        q.get("subscriptions after unsubscribing in a namespace", "/admin/v2/persistent/acme/app/t/subscriptions");
    }

    private void properties() {
        q.get("properties of a namespace that has none", NAMESPACE + "properties");
        q.put("set properties of a namespace", NAMESPACE + "properties", "{\"a\": \"1\", \"b\": \"2\"}");
        q.put("set a property of a namespace", NAMESPACE + "property/c/3", "");
        q.getUntil(
                "properties of a namespace",
                NAMESPACE + "properties",
                a -> a.body() instanceof java.util.Map<?, ?> m && m.size() == 3);
        q.get("a property of a namespace", NAMESPACE + "property/c");
        q.get("a missing property of a namespace", NAMESPACE + "property/none");
        q.delete("remove a property of a namespace", NAMESPACE + "property/c");
        q.delete("remove properties of a namespace", NAMESPACE + "properties");
        q.get("properties of a namespace after removal", NAMESPACE + "properties");
        q.get("properties of a missing namespace", NO_NAMESPACE + "properties");
        q.put("create topic with properties for later", TOPIC.replace("/t/", "/described"), "{\"owner\": \"me\"}");
        String topic = "/admin/v2/persistent/acme/app/described/properties";
        q.get("properties of a topic with some", topic);
        q.put("set properties of a topic", topic, "{\"since\": \"now\"}");
        q.get("properties of a topic with more", topic);
        q.delete("remove a property of a topic", topic + "?key=owner");
        q.get("properties of a topic after removal", topic);
        q.put("set properties of a missing topic", NO_TOPIC + "properties", "{}");
        q.delete("delete topic with properties", "/admin/v2/persistent/acme/app/described");
    }
}
