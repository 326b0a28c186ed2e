package io.sluice.pulsar;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.pulsar.client.api.v5.MessageId;
import org.apache.pulsar.client.api.v5.Producer;
import org.apache.pulsar.client.api.v5.PulsarClientException;
import org.apache.pulsar.client.api.v5.Transaction;
import org.jspecify.annotations.Nullable;

/**
 * Sends of Pulsar 5's client, whose layout may change. Version 5.0.0-M1 chooses a segment and then looks it up: if the layout changes in
 * between it fails, and has sent nothing. Later versions try again.
 */
final class Sends {
    private static final String LAYOUT_HAS_CHANGED = "not found in active segments";

    private Sends() {}

    /** Returns when it is stored. */
    static void send(Producer<String> producer, String key, String value) throws PulsarClientException {
        send(producer, key, value, null);
    }

    /** Returns when it is stored. */
    static void send(Producer<String> producer, String key, String value, @Nullable Transaction in)
            throws PulsarClientException {
        try {
            sendAsync(producer, key, value, in).join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof PulsarClientException known ? known : new PulsarClientException(e);
        }
    }

    static CompletableFuture<MessageId> sendAsync(Producer<String> producer, String key, String value) {
        return sendAsync(producer, key, value, null);
    }

    private static CompletableFuture<MessageId> sendAsync(
            Producer<String> producer, String key, String value, @Nullable Transaction in) {
        var message = producer.async().newMessage().key(key).value(value);
        return (in == null ? message : message.transaction(in))
                .send()
                .exceptionallyCompose(failure -> failure.toString().contains(LAYOUT_HAS_CHANGED)
                        ? sendAsync(producer, key, value, in)
                        : CompletableFuture.failedFuture(failure));
    }
}
