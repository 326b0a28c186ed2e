package io.sluice.conformance;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.pulsar.client.api.v5.Checkpoint;
import org.apache.pulsar.client.api.v5.CheckpointConsumer;
import org.apache.pulsar.client.api.v5.Message;
import org.apache.pulsar.client.api.v5.Producer;
import org.apache.pulsar.client.api.v5.PulsarClient;
import org.apache.pulsar.client.api.v5.QueueConsumer;
import org.apache.pulsar.client.api.v5.config.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.v5.schema.Schema;

/**
 * The scalable topic of a stored folder, by Pulsar 5's client, whose jars are not those of the other tests: a segment with messages, a
 * subscription that has acknowledged every second one, a split, and messages behind it.
 *
 * <p>Usage: {@code StoredScalableTopic create|split|check PULSAR HTTP}.
 */
final class StoredScalableTopic {
    private static final String PATH = "/admin/v2/scalable/public/default/stored-scalable";
    private static final String TOPIC = "topic://public/default/stored-scalable";
    private static final int KEYS = 8;
    private static final int BEFORE_SPLIT = 10;
    private static final int IN_ALL = 15;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final PulsarClient client;
    private final String http;

    private StoredScalableTopic(PulsarClient client, String http) {
        this.client = client;
        this.http = http;
    }

    public static void main(String[] arguments) throws Exception {
        try (PulsarClient client =
                PulsarClient.builder().serviceUrl(arguments[1]).build()) {
            var topic = new StoredScalableTopic(client, arguments[2]);
            switch (arguments[0]) {
                case "create" -> topic.create();
                case "split" -> topic.split();
                case "check" -> topic.check();
                default -> throw new IllegalArgumentException(arguments[0]);
            }
        }
        System.out.println("all ok");
    }

    private void create() throws Exception {
        ask("PUT", PATH + "?numInitialSegments=1");
        try (QueueConsumer<String> consumer = consumer()) {
            send(0, BEFORE_SPLIT);
            for (int n = 0; n < KEYS * BEFORE_SPLIT; n++) {
                Message<String> message = received(consumer.receive(PATIENCE));
                if (isAcknowledged(message.value())) {
                    consumer.acknowledge(message.id());
                }
            }
        }
    }

    private static boolean isAcknowledged(String value) {
        return Integer.parseInt(value) % 2 == 0;
    }

    private void split() throws Exception {
        ask("POST", PATH + "/split/0");
        send(BEFORE_SPLIT, IN_ALL);
    }

    private void send(int from, int to) throws Exception {
        try (Producer<String> producer =
                client.newProducer(Schema.string()).topic(TOPIC).create()) {
            for (int n = from; n < to; n++) {
                for (int key = 0; key < KEYS; key++) {
                    producer.newMessage()
                            .key("key-" + key)
                            .value(Integer.toString(n))
                            .send();
                }
            }
        }
    }

    private QueueConsumer<String> consumer() throws Exception {
        return client.newQueueConsumer(Schema.string())
                .topic(TOPIC)
                .subscriptionName("stored-queue")
                .subscriptionInitialPosition(SubscriptionInitialPosition.EARLIEST)
                .subscribe();
    }

    private void check() throws Exception {
        Map<String, List<String>> read = new HashMap<>();
        try (CheckpointConsumer<String> reader = client.newCheckpointConsumer(Schema.string())
                .topic(TOPIC)
                .startPosition(Checkpoint.earliest())
                .create()) {
            for (int n = 0; n < KEYS * IN_ALL; n++) {
                Message<String> message = received(reader.receive(PATIENCE));
                read.computeIfAbsent(message.key().orElseThrow(), _ -> new ArrayList<>())
                        .add(message.value());
            }
        }
        Set<String> left = new HashSet<>();
        try (QueueConsumer<String> consumer = consumer()) {
            for (int n = 0; n < KEYS * (IN_ALL - BEFORE_SPLIT / 2); n++) {
                Message<String> message = received(consumer.receive(PATIENCE));
                left.add(message.key().orElseThrow() + " " + message.value());
            }
        }
        for (int key = 0; key < KEYS; key++) {
            List<String> ofKey = read.getOrDefault("key-" + key, List.of());
            require(ofKey.size() == IN_ALL, "key-" + key + " has " + ofKey);
            // The client reads segments side by side, also a successor.
            require(
                    inOrder(ofKey, 0, BEFORE_SPLIT) && inOrder(ofKey, BEFORE_SPLIT, IN_ALL),
                    "key-" + key + " has " + ofKey);
            for (int n = 0; n < IN_ALL; n++) {
                String value = Integer.toString(n);
                boolean isLeft = n >= BEFORE_SPLIT || !isAcknowledged(value);
                require(left.contains("key-" + key + " " + n) == isLeft, "the subscription has " + left);
            }
        }
    }

    /** Whether they are all there, one after the other, perhaps with others in between. */
    private static boolean inOrder(List<String> values, int from, int to) {
        List<Integer> expected = IntStream.range(from, to).boxed().toList();
        return values.stream()
                .map(Integer::valueOf)
                .filter(n -> n >= from && n < to)
                .toList()
                .equals(expected);
    }

    private static <T> Message<T> received(Message<T> message) {
        require(message != null, "nothing came within " + PATIENCE);
        return message;
    }

    private static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new AssertionError(otherwise);
        }
    }

    private void ask(String method, String path) throws Exception {
        try (HttpClient asking =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
            var request = HttpRequest.newBuilder(URI.create(http + path))
                    .method(method, HttpRequest.BodyPublishers.ofString(""))
                    .build();
            var answer = asking.send(request, BodyHandlers.ofString());
            require(answer.statusCode() < 300, path + " was answered " + answer.statusCode() + " " + answer.body());
        }
    }
}
