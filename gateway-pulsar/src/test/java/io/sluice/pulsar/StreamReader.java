package io.sluice.pulsar;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.v5.Message;
import org.apache.pulsar.client.api.v5.PulsarClient;
import org.apache.pulsar.client.api.v5.PulsarClientException;
import org.apache.pulsar.client.api.v5.StreamConsumer;
import org.apache.pulsar.client.api.v5.config.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.v5.schema.Schema;

/** A stream consumer of the subscription {@code stream}, of a client of its own, whose end is what the server hears of. */
final class StreamReader implements AutoCloseable {
    private final String name;
    private final PulsarClient own;
    private final StreamConsumer<String> consumer;
    private final CompletableFuture<Void> loop = new CompletableFuture<>();
    private volatile boolean ends;

    StreamReader(int port, String topic, String name, StreamLog log) throws Exception {
        this.name = name;
        this.own =
                PulsarClient.builder().serviceUrl("pulsar://127.0.0.1:" + port).build();
        this.consumer = own.newStreamConsumer(Schema.string())
                .topic(topic)
                .subscriptionName("stream")
                .consumerName(name)
                .subscriptionInitialPosition(SubscriptionInitialPosition.EARLIEST)
                .subscribe();
        Thread.ofVirtual().start(() -> {
            try {
                while (!ends) {
                    Message<String> message = consumer.receive(Duration.ofMillis(50));
                    if (message != null) {
                        log.add(name, message.value());
                        consumer.acknowledgeCumulative(message.id());
                    }
                }
                loop.complete(null);
            } catch (PulsarClientException e) {
                loop.completeExceptionally(e);
            }
        });
    }

    String name() {
        return name;
    }

    @Override
    public void close() throws Exception {
        ends = true;
        loop.get(20, TimeUnit.SECONDS);
        consumer.close();
        own.close();
    }
}
