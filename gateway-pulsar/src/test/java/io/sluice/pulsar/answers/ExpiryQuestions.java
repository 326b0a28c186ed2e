package io.sluice.pulsar.answers;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;

/** Messages that expire, and topics that end or are unloaded. */
final class ExpiryQuestions {
    private static final String APP = "/admin/v2/persistent/acme/app";
    private static final String NAMESPACE = "/admin/v2/namespaces/acme/app/messageTTL";
    private static final String MISSING = "/admin/v2/namespaces/acme/none/messageTTL";
    private static final String TOPIC = APP + "/expired";

    private final Questions q;
    private final PulsarClient client;

    ExpiryQuestions(Questions q, PulsarClient client) {
        this.q = q;
        this.client = client;
    }

    void ask() throws PulsarClientException {
        try (Producer<byte[]> producer = client.newProducer()
                .topic("persistent://acme/app/expired")
                .producerName("producer")
                .enableBatching(false)
                .create()) {
            producer.send("message".getBytes(UTF_8));
        }
        q.put("create subscription to expire", TOPIC + "/subscription/s", "");
        ttl();
        expire();
        end();
    }

    private void ttl() {
        q.get("message TTL where none is set", NAMESPACE);
        q.post("set message TTL", NAMESPACE, "3600");
        q.getUntil("message TTL", NAMESPACE, a -> a.body() instanceof Integer);
        q.get("namespace with message TTL", "/admin/v2/namespaces/acme/app");
        q.post("set negative message TTL", NAMESPACE, "-1");
        q.post("set message TTL with a bad body", NAMESPACE, "no JSON");
        q.post("set message TTL of a missing namespace", MISSING, "1");
        q.get("message TTL of a missing namespace", MISSING);
        q.get("message TTL of a topic where none is set", TOPIC + "/messageTTL");
        q.post("set message TTL of a topic", TOPIC + "/messageTTL?messageTTL=7200", "");
        q.getUntil("message TTL of a topic", TOPIC + "/messageTTL", a -> a.body() instanceof Integer);
        q.get("message TTL of a topic as it is applied", TOPIC + "/messageTTL?applied=true");
        q.post("set negative message TTL of a topic", TOPIC + "/messageTTL?messageTTL=-1", "");
        q.post("set message TTL of a missing topic", APP + "/missing/messageTTL?messageTTL=1", "");
        q.get("message TTL of a missing topic", APP + "/missing/messageTTL");
        q.delete("remove message TTL of a topic", TOPIC + "/messageTTL");
        q.getUntil("message TTL of a topic after removal", TOPIC + "/messageTTL", a -> !(a.body() instanceof Integer));
        q.delete("remove message TTL", NAMESPACE);
        q.getUntil("message TTL after removal", NAMESPACE, a -> !(a.body() instanceof Integer));
    }

    private void expire() {
        q.post("expire messages", TOPIC + "/subscription/s/expireMessages/3600", "");
        q.post("expire messages of a missing subscription", TOPIC + "/subscription/none/expireMessages/1", "");
        q.post("expire messages of a missing topic", APP + "/none/subscription/s/expireMessages/1", "");
        q.post("expire messages of all subscriptions", TOPIC + "/all_subscription/expireMessages/3600", "");
        q.post(
                "expire messages of all subscriptions of a missing topic",
                APP + "/none/all_subscription/expireMessages/1",
                "");
        q.post("expire messages of all of a partitioned topic", APP + "/p/all_subscription/expireMessages/3600", "");
    }

    private void end() {
        q.put("unload", TOPIC + "/unload", "");
        q.put("unload of a partitioned topic", APP + "/p/unload", "");
        q.put("unload of a missing topic", APP + "/none/unload", "");
        q.post("terminate", TOPIC + "/terminate", "");
        q.post("terminate again", TOPIC + "/terminate", "");
        q.post("terminate a partitioned topic", APP + "/p/terminate", "");
        q.post("terminate a missing topic", APP + "/none/terminate", "");
        q.delete("delete what was terminated", TOPIC + "?force=true");
    }
}
