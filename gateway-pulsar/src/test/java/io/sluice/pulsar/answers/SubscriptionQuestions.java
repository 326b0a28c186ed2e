package io.sluice.pulsar.answers;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;

/** Subscriptions that are created, moved and deleted over HTTP. */
final class SubscriptionQuestions {
    private static final String APP = "/admin/v2/persistent/acme/app";
    private static final String TOPIC = APP + "/subscribed";
    private static final String S = TOPIC + "/subscription";
    private static final String EARLIEST = "{\"ledgerId\": -1, \"entryId\": -1, \"partitionIndex\": -1}";

    private final Questions q;
    private final PulsarClient client;

    SubscriptionQuestions(Questions q, PulsarClient client) {
        this.q = q;
        this.client = client;
    }

    void ask() throws PulsarClientException {
        try (Producer<byte[]> producer = client.newProducer()
                .topic("persistent://acme/app/subscribed")
                .producerName("producer")
                .enableBatching(false)
                .create()) {
            for (int n = 0; n < 5; n++) {
                producer.send(("message " + n).getBytes(UTF_8));
            }
        }
        create();
        move();
        partitioned();
        delete();
    }

    private void create() {
        q.put("create subscription at the end", S + "/latest", "");
        q.put("create subscription again", S + "/latest", "");
        q.put("create subscription at the beginning", S + "/earliest", EARLIEST);
        q.put(
                "create subscription with properties",
                S + "/described",
                "{\"ledgerId\": -1, \"entryId\": -1, \"partitionIndex\": -1, \"properties\": {\"owner\": \"me\"}}");
        q.put("create subscription with a bad body", S + "/bad", "no JSON");
        q.put("create subscription of a missing topic", APP + "/subscribed-only/subscription/x", EARLIEST);
        q.put(
                "create subscription in a missing namespace",
                "/admin/v2/persistent/acme/nowhere/t/subscription/x",
                EARLIEST);
        q.get("created subscriptions", TOPIC + "/subscriptions");
        q.get("stats of created subscriptions", TOPIC + "/stats");
        q.get("internal stats of created subscriptions", TOPIC + "/internalStats");
    }

    private void move() {
        q.post("skip one", S + "/earliest/skip/1", "");
        q.post("skip more than there are", S + "/described/skip/100", "");
        q.post("skip fewer than none", S + "/earliest/skip/-1", "");
        q.post("skip a word", S + "/earliest/skip/one", "");
        q.post("skip of a missing subscription", S + "/none/skip/1", "");
        q.post("skip of a missing topic", APP + "/none/subscription/s/skip/1", "");
        q.get("stats after skipping", TOPIC + "/stats");
        q.post("skip all", S + "/earliest/skip_all", "");
        q.post("skip all of a missing subscription", S + "/none/skip_all", "");
        q.post("skip all of a missing topic", APP + "/none/subscription/s/skip_all", "");
        q.post("reset to a time", S + "/earliest/resetcursor/1", "");
        q.post("reset to a word", S + "/earliest/resetcursor/yesterday", "");
        q.post("reset to a time of a missing subscription", S + "/none/resetcursor/1", "");
        q.post("reset to a time of a missing topic", APP + "/none/subscription/s/resetcursor/1", "");
        q.post("reset to a message", S + "/latest/resetcursor", EARLIEST);
        q.post("reset to no message", S + "/latest/resetcursor", "");
        q.post("reset to a bad message", S + "/latest/resetcursor", "no JSON");
        q.post("reset to a message of a missing subscription", S + "/none/resetcursor", EARLIEST);
        q.post("reset to a message of a missing topic", APP + "/none/subscription/s/resetcursor", EARLIEST);
        q.get("stats after resetting", TOPIC + "/stats");
    }

    private void partitioned() {
        q.put("create subscription of a partitioned topic", APP + "/p/subscription/made", EARLIEST);
        q.put("create subscription of a partitioned topic again", APP + "/p/subscription/made", EARLIEST);
        q.put("create subscription of a missing partition", APP + "/p-partition-7/subscription/x", EARLIEST);
        q.post("skip of a partitioned topic", APP + "/p/subscription/made/skip/1", "");
        q.post("skip all of a partitioned topic", APP + "/p/subscription/made/skip_all", "");
        q.post("reset to a time of a partitioned topic", APP + "/p/subscription/made/resetcursor/1", "");
        q.post("reset to a message of a partitioned topic", APP + "/p/subscription/made/resetcursor", EARLIEST);
        q.post("skip all of a missing subscription of a partitioned topic", APP + "/p/subscription/none/skip_all", "");
        q.delete("delete missing subscription of a partitioned topic", APP + "/p/subscription/none");
        q.delete("delete subscription of a partitioned topic", APP + "/p/subscription/made");
    }

    private void delete() {
        q.delete("delete subscription", S + "/latest");
        q.delete("delete subscription by force", S + "/described?force=true");
        q.delete("delete subscription again", S + "/latest");
        q.delete("delete subscription of a missing topic", APP + "/none/subscription/x");
        q.delete("delete subscription in a missing namespace", "/admin/v2/persistent/acme/none/t/subscription/x");
        q.get("subscriptions that are left", TOPIC + "/subscriptions");
    }
}
