package io.sluice.conformance;

import java.time.Duration;
import org.apache.pulsar.client.api.v5.Message;
import org.apache.pulsar.client.api.v5.PulsarClient;
import org.apache.pulsar.client.api.v5.PulsarClientException;
import org.apache.pulsar.client.api.v5.StreamConsumer;
import org.apache.pulsar.client.api.v5.config.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.v5.schema.Schema;

/** A stream consumer of Pulsar 5's client that acknowledges up to each message. */
final class Pulsar5Stream {
    private static final Duration RECEIVE = Duration.ofMillis(200);

    private Pulsar5Stream() {}

    /** @param name of the consumer: under the same one it goes on at once with the segments of one that was killed */
    static void read(
            PulsarClient client,
            String topic,
            String subscription,
            String name,
            Application.Readers readers,
            Application.Books books)
            throws PulsarClientException {
        StreamConsumer<String> consumer = client.newStreamConsumer(Schema.string())
                .topic(topic)
                .subscriptionName(subscription)
                .consumerName(name)
                .subscriptionInitialPosition(SubscriptionInitialPosition.EARLIEST)
                .subscribe();
        readers.start(
                subscription,
                () -> {
                    Message<String> message = consumer.receive(RECEIVE);
                    if (message != null) {
                        books.received(Application.Receipt.of(subscription, message.value()));
                        consumer.acknowledgeCumulative(message.id());
                    }
                },
                consumer::close);
    }
}
