package io.sluice.pulsar.answers;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Reader;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionType;
import org.jspecify.annotations.Nullable;

/** Stats of topics with messages, with their clients connected and after they have left. */
final class TrafficQuestions {
    private static final String APP = "/admin/v2/persistent/acme/app";
    private static final List<SubscriptionType> TYPES = List.of(SubscriptionType.values());
    private static final int SOON = 30;
    private static final String TIMES = "?getEarliestTimeInBacklog=true";
    private static final String NO_CLIENTS = "?excludePublishers=true&excludeConsumers=true";

    private final Questions q;
    private final PulsarClient client;

    TrafficQuestions(Questions q, PulsarClient client) {
        this.q = q;
        this.client = client;
    }

    void ask() throws IOException {
        q.get("stats of an empty topic", APP + "/described/stats");
        q.get("stats of an empty topic with times", APP + "/described/stats" + TIMES);
        q.get("internal stats of an empty topic", APP + "/described/internalStats");
        q.get("last message of an empty topic", APP + "/described/lastMessageId");
        q.get("partitioned stats without messages", APP + "/p/partitioned-stats?perPartition=true");
        for (SubscriptionType type : TYPES) {
            traffic(type);
        }
        readers();
        batch();
        partitioned();
        missing();
    }

    private void traffic(SubscriptionType type) throws IOException {
        String topic = "traffic-" + type.name().toLowerCase(java.util.Locale.ROOT);
        String path = APP + '/' + topic;
        try (Producer<byte[]> producer = producer(topic);
                Consumer<byte[]> consumer = consumer(topic, type)) {
            send(producer, 4);
            acknowledge(consumer, 1);
            receive(consumer, 1);
            q.getUntil(type + ": stats", path + "/stats", TrafficQuestions::oneIsAcknowledged);
            q.get(type + ": stats with times", path + "/stats" + TIMES);
            q.get(type + ": stats without clients", path + "/stats" + NO_CLIENTS);
            q.get(type + ": internal stats", path + "/internalStats");
            q.get(type + ": partitioned stats of a topic without", path + "/partitioned-stats");
            q.get(type + ": subscriptions", path + "/subscriptions");
            q.get(type + ": last message", path + "/lastMessageId");
            q.delete(type + ": delete topic in use", path);
            q.delete(type + ": delete subscription in use", path + "/subscription/s");
        }
        q.getUntil(type + ": stats when all have left", path + "/stats", TrafficQuestions::nobodyIsConnected);
        q.get(type + ": internal stats when all have left", path + "/internalStats");
    }

    private void readers() throws IOException {
        // it reads nothing, as it would acknowledge that some time later
        try (Reader<byte[]> reader = client.newReader()
                .topic("persistent://acme/app/traffic-shared")
                .readerName("r")
                .subscriptionName("reader")
                .startMessageId(MessageId.earliest)
                .create()) {
            q.getUntil(
                    "stats with a reader",
                    APP + "/traffic-shared/stats",
                    a -> reader.isConnected()
                            && Long.valueOf(4)
                                    .equals(number(at(a.body(), "subscriptions", "reader", "msgOutCounter"))));
            q.get("internal stats with a reader", APP + "/traffic-shared/internalStats");
        }
    }

    private void batch() throws IOException {
        try (Producer<byte[]> producer = client.newProducer()
                .topic("persistent://acme/app/batch")
                .batchingMaxMessages(3)
                .batchingMaxPublishDelay(1, TimeUnit.MINUTES)
                .create()) {
            for (int n = 0; n < 3; n++) {
                producer.sendAsync(("message " + n).getBytes(UTF_8));
            }
            producer.flush();
        }
        q.get("last message of a batch", APP + "/batch/lastMessageId");
    }

    private void partitioned() throws IOException {
        try (Producer<byte[]> producer = producer("p");
                Consumer<byte[]> consumer = consumer("p", SubscriptionType.Shared)) {
            send(producer, 6);
            acknowledge(consumer, 6);
            q.getUntil(
                    "partitioned stats",
                    APP + "/p/partitioned-stats?perPartition=true",
                    a -> Long.valueOf(0).equals(number(at(a.body(), "subscriptions", "s", "msgBacklog"))));
            q.get("partitioned stats in sum", APP + "/p/partitioned-stats?perPartition=false");
            q.get("partitioned stats by default", APP + "/p/partitioned-stats");
            q.get("stats of a partition", APP + "/p-partition-0/stats");
            q.get("stats of a partitioned topic", APP + "/p/stats");
            q.get("internal stats of a partition", APP + "/p-partition-0/internalStats");
            q.get("internal stats of a partitioned topic", APP + "/p/internalStats");
            q.get("last message of a partition", APP + "/p-partition-0/lastMessageId");
            q.get("last message of a partitioned topic", APP + "/p/lastMessageId");
            q.get("subscriptions of a partitioned topic", APP + "/p/subscriptions");
            q.get("subscriptions of a partition", APP + "/p-partition-0/subscriptions");
            q.get("partitioned stats with times", APP + "/p/partitioned-stats" + TIMES);
            q.get("partitioned stats without clients", APP + "/p/partitioned-stats" + NO_CLIENTS);
            q.delete("delete partitioned topic in use", APP + "/p/partitions");
            send(producer, 1);
            q.getUntil(
                    "partitioned stats with times of one partition's backlog",
                    APP + "/p/partitioned-stats" + TIMES,
                    a -> Long.valueOf(1).equals(number(at(a.body(), "subscriptions", "s", "msgBacklog"))));
            acknowledge(consumer, 1);
        }
    }

    private void missing() {
        for (String what : List.of("stats", "internalStats", "partitioned-stats", "lastMessageId", "subscriptions")) {
            q.get(what + " of a missing topic", APP + "/none/" + what);
            q.get(what + " of a missing partition", APP + "/p-partition-7/" + what);
            q.get(what + " in a missing namespace", "/admin/v2/persistent/acme/none/t/" + what);
            q.get(what + " of a bad name", "/admin/v2/persistent/acme/a,b/t/" + what);
        }
    }

    private Producer<byte[]> producer(String topic) throws IOException {
        return client.newProducer()
                .topic("persistent://acme/app/" + topic)
                .producerName("producer")
                .enableBatching(false)
                .property("made", "here")
                .create();
    }

    private Consumer<byte[]> consumer(String topic, SubscriptionType type) throws IOException {
        return client.newConsumer()
                .topic("persistent://acme/app/" + topic)
                .subscriptionName("s")
                .subscriptionType(type)
                .consumerName("consumer")
                .property("made", "here")
                .subscriptionProperties(Map.of("for", "tests"))
                .receiverQueueSize(10)
                .isAckReceiptEnabled(true)
                .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                .subscribe();
    }

    private static void send(Producer<byte[]> producer, int count) throws IOException {
        for (int n = 0; n < count; n++) {
            producer.newMessage()
                    .key("k" + n)
                    .value(("message " + n).getBytes(UTF_8))
                    .send();
        }
    }

    private static void acknowledge(Consumer<byte[]> consumer, int count) throws IOException {
        for (int n = 0; n < count; n++) {
            consumer.acknowledge(receive(consumer));
        }
    }

    private static void receive(Consumer<byte[]> consumer, int count) throws IOException {
        for (int n = 0; n < count; n++) {
            receive(consumer);
        }
    }

    private static Message<byte[]> receive(Consumer<byte[]> consumer) throws IOException {
        Message<byte[]> message = consumer.receive(SOON, TimeUnit.SECONDS);
        if (message == null) {
            throw new IllegalStateException("no message");
        }
        return message;
    }

    private static boolean oneIsAcknowledged(Answer a) {
        return Long.valueOf(3).equals(number(at(a.body(), "subscriptions", "s", "msgBacklog")));
    }

    private static boolean nobodyIsConnected(Answer a) {
        return at(a.body(), "publishers") instanceof List<?> p
                && p.isEmpty()
                && at(a.body(), "subscriptions", "s", "consumers") instanceof List<?> c
                && c.isEmpty();
    }

    private static @Nullable Long number(@Nullable Object value) {
        return value instanceof Number n ? n.longValue() : null;
    }

    private static @Nullable Object at(@Nullable Object body, String... path) {
        Object at = body;
        for (String name : path) {
            at = at instanceof Map<?, ?> fields ? fields.get(name) : null;
        }
        return at;
    }
}
