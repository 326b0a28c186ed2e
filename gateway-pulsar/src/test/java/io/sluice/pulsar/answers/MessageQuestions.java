package io.sluice.pulsar.answers;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.apache.pulsar.client.api.BatcherBuilder;
import org.apache.pulsar.client.api.CompressionType;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;

/** Messages that are looked at, and what subscriptions have before them. */
final class MessageQuestions {
    private static final String APP = "/admin/v2/persistent/acme/app";
    private static final String TOPIC = APP + "/looked";
    private static final String S = TOPIC + "/subscription/s";
    private static final String NONE = TOPIC + "/subscription/none";
    private static final String MISSING = APP + "/none";
    private static final String EARLIEST = "{\"ledgerId\": -1, \"entryId\": -1, \"partitionIndex\": -1}";
    private static final int BATCH = 3;

    private final Questions q;
    private final PulsarClient client;

    MessageQuestions(Questions q, PulsarClient client) {
        this.q = q;
        this.client = client;
    }

    void ask() throws PulsarClientException {
        q.put("create subscription to look at", S, EARLIEST);
        q.get("peek where there is nothing", S + "/position/1");
        q.get("examine where there is nothing", TOPIC + "/examinemessage?initialPosition=earliest&messagePosition=1");
        send();
        peek();
        examine();
        ids();
        inside();
        backlog();
        properties();
        end();
    }

    private void send() throws PulsarClientException {
        try (Producer<byte[]> producer = client.newProducer()
                .topic("persistent://acme/app/looked")
                .producerName("producer")
                .enableBatching(false)
                .create()) {
            producer.newMessage()
                    .value("first".getBytes(UTF_8))
                    .key("a key")
                    .property("one", "1")
                    .property("two", "\u00e4 \"2\"")
                    .eventTime(1_700_000_000_000L)
                    .orderingKey(new byte[] {1, 2})
                    .send();
            producer.newMessage().value(null).key("deleted").send();
        }
        try (Producer<byte[]> producer = client.newProducer()
                .topic("persistent://acme/app/looked")
                .producerName("batches")
                .compressionType(CompressionType.ZLIB)
                .batcherBuilder(BatcherBuilder.DEFAULT)
                .batchingMaxMessages(BATCH)
                .batchingMaxPublishDelay(1, java.util.concurrent.TimeUnit.MINUTES)
                .create()) {
            for (int n = 0; n < BATCH; n++) {
                producer.newMessage()
                        .value(("batched " + n).getBytes(UTF_8))
                        .key("k" + n)
                        .sendAsync();
            }
            producer.flush();
        }
    }

    private void peek() {
        q.getMessage("peek", S + "/position/1");
        q.getMessage("peek at a message without value", S + "/position/2");
        q.getMessage("peek at a batch", S + "/position/3");
        q.get("peek behind the last", S + "/position/4");
        q.getMessage("peek before the first", S + "/position/0");
        q.get("peek at a word", S + "/position/one");
        q.get("peek of a missing subscription", NONE + "/position/1");
        q.get("peek of a missing topic", MISSING + "/subscription/s/position/1");
        q.get("peek of a partitioned topic", APP + "/p/subscription/s/position/1");
    }

    private void examine() {
        q.getMessage("examine the first", TOPIC + "/examinemessage?initialPosition=earliest&messagePosition=1");
        q.getMessage("examine the last", TOPIC + "/examinemessage?initialPosition=latest&messagePosition=1");
        q.getMessage("examine the second last", TOPIC + "/examinemessage?initialPosition=latest&messagePosition=2");
        q.getMessage("examine without saying which", TOPIC + "/examinemessage");
        q.get("examine a missing topic", MISSING + "/examinemessage");
        q.get("examine a partitioned topic", APP + "/p/examinemessage");
    }

    private void ids() {
        q.get("message id by time", TOPIC + "/messageid/1000");
        q.get("message id by a time to come", TOPIC + "/messageid/4000000000000");
        q.get("message id by the time of a word", TOPIC + "/messageid/yesterday");
        q.get("message id by time of a missing topic", MISSING + "/messageid/1000");
        q.get("message id by time of a partitioned topic", APP + "/p/messageid/1000");
        q.get("message by a missing id", TOPIC + "/ledger/99999/entry/0");
        q.get("message by id of a missing topic", MISSING + "/ledger/0/entry/0");
        q.getFound("message by id", TOPIC + "/ledger/%d/entry/%d", TOPIC + "/messageid/1000");
        q.get("message id by index", TOPIC + "/getMessageIdByIndex?index=0");
        q.get("message id by the index of a missing topic", MISSING + "/getMessageIdByIndex?index=0");
    }

    private void backlog() {
        q.put("backlog size", TOPIC + "/backlogSize", EARLIEST);
        q.put("backlog size without body", TOPIC + "/backlogSize", "");
        q.put("backlog size of a missing topic", MISSING + "/backlogSize", EARLIEST);
        q.put("backlog size of a partitioned topic", APP + "/p/backlogSize", EARLIEST);
        q.post("analyze backlog", S + "/analyzeBacklog", "");
        q.post("analyze backlog of a missing subscription", NONE + "/analyzeBacklog", "");
        q.post("analyze backlog of a missing topic", MISSING + "/subscription/s/analyzeBacklog", "");
        q.post("analyze backlog of a partitioned topic", APP + "/p/subscription/s/analyzeBacklog", "");
        q.postFound(
                "expire messages up to one",
                S + "/expireMessages",
                "{\"ledgerId\": %d, \"entryId\": %d, \"partitionIndex\": -1, \"isExcluded\": false, \"batchIndex\": -1}",
                TOPIC + "/messageid/1000");
        q.post("expire messages up to one of a missing subscription", NONE + "/expireMessages", EARLIEST);
        q.post("expire messages up to one of a missing topic", MISSING + "/subscription/s/expireMessages", EARLIEST);
        q.post("expire messages up to one of a partitioned topic", APP + "/p/subscription/s/expireMessages", EARLIEST);
    }

    private void properties() {
        String path = "/properties";
        q.get("properties of a subscription that has none", S + path);
        q.put("set properties of a subscription", S + path, "{\"owner\": \"me\", \"since\": \"now\"}");
        q.get("properties of a subscription", S + path);
        q.put("remove properties of a subscription", S + path, "{}");
        q.get("properties of a subscription after removal", S + path);
        q.put("set properties of a subscription with a bad body", S + path, "no JSON");
        q.put("set properties of a missing subscription", NONE + path, "{}");
        q.get("properties of a missing subscription", NONE + path);
        q.get("properties of a subscription of a missing topic", MISSING + "/subscription/s" + path);
        String status = "/replicatedSubscriptionStatus";
        q.get("whether a subscription is replicated", S + status);
        q.post("let a subscription be replicated", S + status, "true");
        q.get("whether a replicated subscription is replicated", S + status);
        q.post("let a subscription be replicated no more", S + status, "false");
        q.post("let a missing subscription be replicated", NONE + status, "true");
        q.get("whether a missing subscription is replicated", NONE + status);
    }

    private void inside() {
        q.get("internal info", TOPIC + "/internal-info");
        q.get("internal info of a missing topic", MISSING + "/internal-info");
        q.get("internal info of a partitioned topic", APP + "/p/internal-info");
        q.get("internal stats of all partitions", APP + "/p/partitioned-internalStats");
        q.get("internal stats of partitions of a topic that has none", TOPIC + "/partitioned-internalStats");
        q.get("internal stats of partitions of a missing topic", MISSING + "/partitioned-internalStats");
    }

    private void end() {
        q.put("create partitioned topic to terminate", APP + "/ending/partitions", "2");
        q.post("terminate partitions", APP + "/ending/terminate/partitions", "");
        q.post("terminate partitions of a topic that has none", TOPIC + "/terminate/partitions", "");
        q.post("terminate partitions of a missing topic", MISSING + "/terminate/partitions", "");
        q.delete("delete what has terminated partitions", APP + "/ending/partitions?force=true");
        q.delete("delete what was looked at", TOPIC + "?force=true");
    }
}
