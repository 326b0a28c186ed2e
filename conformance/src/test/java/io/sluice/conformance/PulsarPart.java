package io.sluice.conformance;

import io.sluice.conformance.clients.PulsarClients;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageRoutingMode;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.ProducerBuilder;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionType;

/**
 * Classic Pulsar clients: a named producer, whose sequence ids are its numbers, of a topic with a failover subscription, and one
 * of a partitioned topic with a shared and a key-shared one. Acknowledgements are waited for.
 */
final class PulsarPart implements Application.Part {
    static final String NAMED = "named";
    static final String PARTITIONED = "partitioned";
    static final int PARTITIONS = 3;

    static final String FAILOVER = "failover";
    static final String SHARED = "shared";
    static final String KEY_SHARED = "key-shared";

    private static final int RECEIVE_MILLIS = 200;

    private final Application.Books books;
    private final Application.Readers readers;
    private final PulsarClient client;
    private final Producer<String> named;
    private final Producer<String> partitioned;
    /**
     * What the server has of the named producer already. As in Pulsar a batch that begins with one of these is dropped whole, and this
     * client puts them into one batch with what is new.
     */
    private final long there;

    /** @param id of the application */
    PulsarPart(String url, int id, Application.Books books) throws PulsarClientException {
        this.books = books;
        this.readers = new Application.Readers(books);
        client = PulsarClients.builder(url)
                .startingBackoffInterval(50, TimeUnit.MILLISECONDS)
                .maxBackoffInterval(200, TimeUnit.MILLISECONDS)
                .build();
        named = producer(NAMED).producerName("producer-" + id).create();
        // Without batches, or with some of one key each: else key-shared consumers get others' keys.
        there = named.getLastSequenceId();
        partitioned = producer(PARTITIONED)
                .enableBatching(false)
                .messageRoutingMode(MessageRoutingMode.RoundRobinPartition)
                .create();
        receive(NAMED, FAILOVER, SubscriptionType.Failover);
        receive(PARTITIONED, SHARED, SubscriptionType.Shared);
        receive(PARTITIONED, KEY_SHARED, SubscriptionType.Key_Shared);
    }

    private ProducerBuilder<String> producer(String topic) {
        return client.newProducer(Schema.STRING)
                .topic(topic)
                .sendTimeout(0, TimeUnit.SECONDS)
                .blockIfQueueFull(true);
    }

    @Override
    public boolean writes(String load) {
        return load.startsWith(NAMED) || load.startsWith(PARTITIONED);
    }

    @Override
    public void send(String load, long number) {
        boolean hasName = load.startsWith(NAMED);
        if (hasName && number <= there) {
            books.acknowledged(load, number, "before");
            return;
        }
        var message = (hasName ? named : partitioned)
                .newMessage()
                .key(Application.key(load, number))
                .value(Application.value(load, number));
        if (hasName) {
            message.sequenceId(number);
        }
        message.sendAsync()
                .thenAccept(id -> books.acknowledged(load, number, id.toString()))
                .exceptionally(failure -> {
                    books.refused(load, number, failure);
                    return null;
                });
    }

    private void receive(String topic, String subscription, SubscriptionType type) throws PulsarClientException {
        Consumer<String> consumer = client.newConsumer(Schema.STRING)
                .topic(topic)
                .subscriptionName(subscription)
                .subscriptionType(type)
                .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                .enableBatchIndexAcknowledgment(true)
                .isAckReceiptEnabled(true)
                .acknowledgmentGroupTime(0, TimeUnit.MILLISECONDS)
                .negativeAckRedeliveryDelay(100, TimeUnit.MILLISECONDS)
                .subscribe();
        readers.start(subscription, () -> next(consumer), consumer::close);
    }

    /**
     * What could not be acknowledged is given back, but not where one consumer gets all: there it comes again when the consumer has subscribed
     * anew, and a client that gives back while it does so gets nothing any more (apache/pulsar#20032).
     */
    private void next(Consumer<String> consumer) throws PulsarClientException {
        Message<String> message = consumer.receive(RECEIVE_MILLIS, TimeUnit.MILLISECONDS);
        if (message != null) {
            books.received(Application.Receipt.of(consumer.getSubscription(), message.getValue()));
            consumer.acknowledgeAsync(message).exceptionally(_ -> {
                if (!consumer.getSubscription().equals(FAILOVER)) {
                    consumer.negativeAcknowledge(message);
                }
                return null;
            });
        }
    }

    @Override
    public void close() {
        readers.end();
        try {
            named.close();
            partitioned.close();
            client.close();
        } catch (PulsarClientException e) {
            books.wrong("a Pulsar client did not close: " + e);
        }
    }
}
