package io.sluice.conformance;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.pulsar.client.api.v5.Message;
import org.apache.pulsar.client.api.v5.MessageId;
import org.apache.pulsar.client.api.v5.Producer;
import org.apache.pulsar.client.api.v5.PulsarClient;
import org.apache.pulsar.client.api.v5.PulsarClientException;
import org.apache.pulsar.client.api.v5.QueueConsumer;
import org.apache.pulsar.client.api.v5.config.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.v5.schema.Schema;

/** Pulsar 5's client on a scalable topic: a producer, and two consumers of each kind. Runs only where there are its jars. */
final class Pulsar5Part implements Application.Part {
    static final String SCALABLE = "scalable";
    static final String TOPIC = "topic://public/default/" + SCALABLE;

    static final String STREAM = "stream";
    static final String QUEUE = "queue";
    /** From the first message on, once all is written. */
    static final String AUDIT = "audit";

    private static final Duration RECEIVE = Duration.ofMillis(200);

    private final Application.Books books;
    private final Application.Readers readers;
    private final PulsarClient client;
    private final Producer<String> producer;
    /** By key, what was sent last: the client may turn the order of what it has to send again after a split. */
    private final Map<String, CompletableFuture<?>> last = new HashMap<>();

    Pulsar5Part(String url, Application.Books books) throws PulsarClientException {
        this.books = books;
        this.readers = new Application.Readers(books);
        client = PulsarClient.builder().serviceUrl(url).build();
        producer = client.newProducer(Schema.string())
                .topic(TOPIC)
                .sendTimeout(Duration.ofMinutes(3))
                .create();
        // Under the same name it goes on at once with the segments of one that was killed.
        stream(STREAM, "first");
        stream(STREAM, "second");
        queue();
        queue();
    }

    @Override
    public boolean writes(String load) {
        return load.startsWith(SCALABLE);
    }

    @Override
    public synchronized void send(String load, long number) {
        String key = Application.key(load, number);
        last.compute(
                key,
                (_, before) -> (before == null ? CompletableFuture.completedFuture(null) : before)
                        .handle((_, _) -> null)
                        .thenCompose(_ -> send(key, Application.value(load, number)))
                        .thenAccept(id -> books.acknowledged(load, number, id.toString()))
                        .exceptionally(failure -> {
                            books.refused(load, number, failure);
                            return null;
                        }));
    }

    /** Again, if the layout changes just when the client has chosen a segment: then it fails, and has sent nothing. */
    private CompletableFuture<MessageId> send(String key, String value) {
        return producer.async()
                .newMessage()
                .key(key)
                .value(value)
                .send()
                .exceptionallyCompose(failure -> failure.toString().contains("not found in active segments")
                        ? send(key, value)
                        : CompletableFuture.failedFuture(failure));
    }

    /** Reads all that was ever written. */
    void audit() throws PulsarClientException {
        stream(AUDIT, "only");
    }

    private void stream(String subscription, String name) throws PulsarClientException {
        Pulsar5Stream.read(client, TOPIC, subscription, name, readers, books);
    }

    private void queue() throws PulsarClientException {
        QueueConsumer<String> consumer = client.newQueueConsumer(Schema.string())
                .topic(TOPIC)
                .subscriptionName(QUEUE)
                .subscriptionInitialPosition(SubscriptionInitialPosition.EARLIEST)
                .subscribe();
        readers.start(
                QUEUE,
                () -> {
                    Message<String> message = consumer.receive(RECEIVE);
                    if (message != null) {
                        books.received(Application.Receipt.of(QUEUE, message.value()));
                        consumer.acknowledge(message.id());
                    }
                },
                consumer::close);
    }

    @Override
    public void close() {
        readers.end();
        try {
            producer.close();
            client.close();
        } catch (PulsarClientException e) {
            books.wrong("Pulsar 5's client did not close: " + e);
        }
    }
}
