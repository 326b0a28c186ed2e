package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.conformance.clients.PulsarClients;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.jspecify.annotations.Nullable;

/** A subscription of one consumer: a message whose acknowledgement the server has confirmed does not come again. */
final class AcknowledgedOnce {
    private static final int PATIENCE_SECONDS = 60;

    private static final int NOTHING_MORE_SECONDS = 2;

    private final String topic;
    private final PulsarClient client;
    private final Consumer<byte[]> consumer;
    private final Set<MessageId> acknowledged = ConcurrentHashMap.newKeySet();
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private volatile boolean stop;

    AcknowledgedOnce(String url, String topic) throws PulsarClientException {
        this.topic = topic;
        client = PulsarClients.builder(url)
                .startingBackoffInterval(50, TimeUnit.MILLISECONDS)
                .maxBackoffInterval(200, TimeUnit.MILLISECONDS)
                .keepAliveInterval(3, TimeUnit.SECONDS)
                .build();
        consumer = subscribe();
    }

    private Consumer<byte[]> subscribe() throws PulsarClientException {
        return client.newConsumer()
                .topic(topic)
                .subscriptionName("once")
                .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                .enableBatchIndexAcknowledgment(true)
                .isAckReceiptEnabled(true)
                .acknowledgmentGroupTime(0, TimeUnit.MILLISECONDS)
                .subscribe();
    }

    void start() {
        Thread.ofPlatform().daemon().name("once " + topic).start(() -> {
            try {
                while (!stop) {
                    Message<byte[]> message = consumer.receive(200, TimeUnit.MILLISECONDS);
                    if (message != null) {
                        acknowledge(message.getMessageId());
                    }
                }
                done.complete(null);
            } catch (Throwable e) {
                done.completeExceptionally(e);
            }
        });
    }

    /** One that fails comes again when the consumer has subscribed anew. */
    private void acknowledge(MessageId id) {
        consumer.acknowledgeAsync(id).thenRun(() -> acknowledged.add(id));
    }

    /** How many are confirmed. */
    long acknowledged() {
        if (done.isCompletedExceptionally()) {
            done.join();
        }
        return acknowledged.size();
    }

    /** Ends the consumer; what its successor gets was not acknowledged. */
    void finish() throws Exception {
        stop = true;
        done.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        consumer.close();
        Set<MessageId> again = new TreeSet<>();
        try (Consumer<byte[]> successor = subscribe()) {
            for (Message<byte[]> message = next(successor); message != null; message = next(successor)) {
                again.add(message.getMessageId());
            }
        }
        again.retainAll(acknowledged);
        assertThat(again).as("%s: acknowledged, and came again", topic).isEmpty();
        client.close();
    }

    private static @Nullable Message<byte[]> next(Consumer<byte[]> consumer) throws PulsarClientException {
        return consumer.receive(NOTHING_MORE_SECONDS, TimeUnit.SECONDS);
    }
}
