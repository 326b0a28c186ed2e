package io.sluice.pulsar.answers;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionType;
import org.jspecify.annotations.Nullable;

/** Stats of subscriptions that hold messages back: out of order, to be sent again, delayed; and of what expired. */
final class HeldQuestions {
    private static final String APP = "/admin/v2/persistent/acme/app/";
    private static final int SOON = 30;

    private final Questions q;
    private final PulsarClient client;

    HeldQuestions(Questions q, PulsarClient client) {
        this.q = q;
        this.client = client;
    }

    void ask() throws IOException {
        outOfOrder();
        delayed();
        expired();
        chunked();
    }

    private void outOfOrder() throws IOException {
        try (Producer<byte[]> producer = producer("held");
                Consumer<byte[]> first = consumer("held", SubscriptionType.Shared, "first", false)) {
            List<Message<byte[]>> all = sendAndReceive(producer, first, 6);
            first.acknowledge(all.get(2));
            first.acknowledge(all.get(4));
            q.getUntil("stats with gaps", APP + "held/stats", is(2, "s", "nonContiguousDeletedMessagesRanges"));
            q.get("internal stats with gaps", APP + "held/internalStats");
            try (Consumer<byte[]> second = consumer("held", SubscriptionType.Shared, "second", true)) {
                first.close();
                q.getUntil(
                        "stats with messages to send again",
                        APP + "held/stats",
                        a -> is(0, "s", "unackedMessages").test(a) && second.isConnected());
                second.resume();
                q.getUntil(
                        "stats with messages that were sent again", APP + "held/stats", is(4, "s", "unackedMessages"));
            }
        }
    }

    private void delayed() throws IOException {
        try (Producer<byte[]> producer = producer("later");
                Consumer<byte[]> consumer = consumer("later", SubscriptionType.Shared, "first", false)) {
            for (int n = 0; n < 3; n++) {
                producer.newMessage()
                        .value("later".getBytes(UTF_8))
                        .deliverAfter(1, TimeUnit.HOURS)
                        .send();
            }
            producer.send("now".getBytes(UTF_8));
            consumer.acknowledge(receive(consumer));
            q.getUntil(
                    "stats with delayed messages",
                    APP + "later/stats",
                    is(3, "s", "msgDelayed").and(is(3, "s", "msgBacklog")));
            q.get("internal stats with delayed messages", APP + "later/internalStats");
        }
    }

    private void expired() throws IOException {
        try (Producer<byte[]> producer = producer("old");
                Consumer<byte[]> consumer = consumer("old", SubscriptionType.Shared, "first", true)) {
            for (int n = 0; n < 3; n++) {
                producer.send("old".getBytes(UTF_8));
            }
            q.getUntil("stats before messages expire", APP + "old/stats", is(3, "s", "msgBacklog"));
            // those that are younger than a second stay, so it is asked again
            q.getUntil("stats after messages have expired", APP + "old/stats", a -> {
                if (!is(0, "s", "msgBacklog").test(a)) {
                    q.answer("POST", APP + "old/subscription/s/expireMessages/1", "");
                }
                return is(0, "s", "msgBacklog").test(a) && consumer.isConnected();
            });
        }
    }

    private void chunked() throws IOException {
        try (Producer<byte[]> producer = client.newProducer()
                .topic("persistent://acme/app/chunks")
                .producerName("producer")
                .enableBatching(false)
                .enableChunking(true)
                .chunkMaxMessageSize(1000)
                .create()) {
            producer.send(new byte[5000]);
            q.getUntil("stats with chunks", APP + "chunks/stats", a -> at(a.body(), "msgInCounter") != null);
        }
    }

    private List<Message<byte[]>> sendAndReceive(Producer<byte[]> producer, Consumer<byte[]> consumer, int count)
            throws IOException {
        List<Message<byte[]>> all = new ArrayList<>();
        for (int n = 0; n < count; n++) {
            producer.newMessage()
                    .key("k" + n)
                    .value(("message " + n).getBytes(UTF_8))
                    .send();
            all.add(receive(consumer));
        }
        return all;
    }

    private static Message<byte[]> receive(Consumer<byte[]> consumer) throws IOException {
        Message<byte[]> message = consumer.receive(SOON, TimeUnit.SECONDS);
        if (message == null) {
            throw new IllegalStateException("no message");
        }
        return message;
    }

    private Producer<byte[]> producer(String topic) throws IOException {
        return client.newProducer()
                .topic("persistent://acme/app/" + topic)
                .producerName("producer")
                .enableBatching(false)
                .create();
    }

    private Consumer<byte[]> consumer(String topic, SubscriptionType type, String name, boolean paused)
            throws IOException {
        return client.newConsumer()
                .topic("persistent://acme/app/" + topic)
                .subscriptionName("s")
                .subscriptionType(type)
                .consumerName(name)
                .receiverQueueSize(20)
                .startPaused(paused)
                .isAckReceiptEnabled(true)
                .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                .subscribe();
    }

    private static java.util.function.Predicate<Answer> is(int value, String subscription, String field) {
        return a -> at(a.body(), "subscriptions", subscription, field) instanceof Number n && n.longValue() == value;
    }

    private static @Nullable Object at(@Nullable Object body, String... path) {
        Object at = body;
        for (String name : path) {
            at = at instanceof Map<?, ?> fields ? fields.get(name) : null;
        }
        return at;
    }
}
