package io.sluice.pulsar.answers;

import java.io.IOException;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.SubscriptionType;

/** Topics whose messages are not kept: create, look at with and without clients, delete. */
final class NonPersistentQuestions {
    private static final String APP = "/admin/v2/non-persistent/acme/app";
    private static final String NAME = "non-persistent://acme/app/live";

    private final Questions q;
    private final PulsarClient client;

    NonPersistentQuestions(Questions q, PulsarClient client) {
        this.q = q;
        this.client = client;
    }

    void ask() throws IOException {
        q.put("create live topic", APP + "/live", "");
        q.get("partitions of a live topic", APP + "/live/partitions");
        q.get("stats of a live topic without clients", APP + "/live/stats");
        q.get("stats of a missing live topic", APP + "/none/stats");
        q.get("subscriptions of a live topic without clients", APP + "/live/subscriptions");
        q.get("internal stats of a live topic", APP + "/live/internalStats");
        q.get("internal stats of a missing live topic", APP + "/none/internalStats");
        q.get("partitioned internal stats of a live topic without", APP + "/live/partitioned-internalStats");
        q.post("create missed partitions of a live topic", APP + "/live/createMissedPartitions", "");
        q.get("live topics of a bundle", APP + "/0x00000000_0xffffffff");
        q.get("live topics of a bad bundle", APP + "/0x00000000_0x12345678");
        q.put("create live partitioned topic", APP + "/plive/partitions", "2");
        q.put("create live partitioned topic again", APP + "/plive/partitions", "2");
        q.put("create live topic with no partitions", APP + "/p0live/partitions", "0");
        q.get("partitions of a live partitioned topic", APP + "/plive/partitions");
        q.get("live partitioned topics", APP + "/partitioned");
        q.get("internal stats of a live partitioned topic", APP + "/plive/partitioned-internalStats");
        q.post("create missed partitions of a live partitioned topic", APP + "/plive/createMissedPartitions", "");
        q.post("more live partitions", APP + "/plive/partitions", "3");
        q.get("more live partitions are there", APP + "/plive/partitions");
        q.get("look-up of a live topic", "/lookup/v2/topic/non-persistent/acme/app/live");
        try (Consumer<byte[]> consumer = client.newConsumer()
                        .topic(NAME)
                        .subscriptionName("s")
                        .consumerName("c")
                        .subscriptionType(SubscriptionType.Shared)
                        .subscribe();
                Producer<byte[]> producer =
                        client.newProducer().topic(NAME).producerName("p").create()) {
            producer.send(new byte[10]);
            consumer.receive();
            q.get("stats of a live topic", APP + "/live/stats");
            q.get("live topics", APP);
            q.get("live topics of the namespace", "/admin/v2/namespaces/acme/app/topics?mode=NON_PERSISTENT");
            q.get("subscriptions of a live topic", APP + "/live/subscriptions");
            q.get("properties of a live subscription", APP + "/live/subscription/s/properties");
            q.put("set properties of a live subscription", APP + "/live/subscription/s/properties", "{\"a\":\"b\"}");
            q.get("properties of a live subscription after a change", APP + "/live/subscription/s/properties");
            q.get("properties of a missing live subscription", APP + "/live/subscription/none/properties");
            q.put("set properties of a missing live subscription", APP + "/live/subscription/none/properties", "{}");
            q.delete("delete live topic in use", APP + "/live");
            q.delete("delete live subscription in use", APP + "/live/subscription/s");
        }
        q.delete("delete live subscription", APP + "/live/subscription/s");
        q.get("stats of a live partitioned topic", APP + "/plive/partitioned-stats");
        q.put("unload live topic", APP + "/live/unload", "");
        q.put("create live topic to delete", APP + "/gone", "");
        q.delete("delete live topic", APP + "/gone");
        q.delete("delete live topic again", APP + "/gone");
        positions("live", "");
        positions("none", " that is missing");
        new PolicyTableQuestions(q).askOfLive();
        new LivePolicyQuestions(q).ask();
        new SchemaPolicyQuestions(q).askOfLive();
        q.delete("delete live partitioned topic", APP + "/plive/partitions");
        q.delete("delete live partitioned topic again", APP + "/plive/partitions");
    }

    /** Asks for what a topic without positions has not. */
    private void positions(String topic, String which) {
        String of = " of a live topic" + which;
        String path = APP + '/' + topic;
        String subscription = path + "/subscription/s";
        String first = "{\"ledgerId\":0,\"entryId\":0,\"partitionIndex\":-1}";
        q.answer("PUT", APP + "/live", "");
        q.post("expire all" + of, path + "/all_subscription/expireMessages/10", "");
        q.post("expire by time" + of, subscription + "/expireMessages/10", "");
        q.post("expire by position" + of, subscription + "/expireMessages", first);
        q.get("position" + of, subscription + "/position/1");
        q.post("skip" + of, subscription + "/skip/1", "");
        q.post("skip all" + of, subscription + "/skip_all", "");
        q.post("reset by position" + of, subscription + "/resetcursor", first);
        q.post("reset by time" + of, subscription + "/resetcursor/10", "");
        q.post("analyze backlog" + of, subscription + "/analyzeBacklog", first);
        q.put("create subscription" + of, subscription, first);
        q.get("whether a subscription is replicated" + of, subscription + "/replicatedSubscriptionStatus");
        q.post("replicate subscription" + of, subscription + "/replicatedSubscriptionStatus", "true");
        q.get("last message" + of, path + "/lastMessageId");
        q.put("backlog size" + of, path + "/backlogSize", first);
        q.get("internal info" + of, path + "/internal-info");
        q.post("terminate" + of, path + "/terminate", "");
        q.post("terminate partitions" + of, path + "/terminate/partitions", "");
        q.delete("truncate" + of, path + "/truncate");
    }
}
