package io.sluice.conformance;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Reader;
import org.apache.pulsar.client.api.Schema;

/** {@link CommittedReader} by a Pulsar client, all of whose readers see no more than what is committed. */
final class PulsarCommittedReader {
    private final PulsarClient client;
    private final String topic;
    private final BiConsumer<String, String> each;
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private volatile boolean stop;

    /** @param each key and value, on a thread of the reader's own */
    PulsarCommittedReader(PulsarClient client, String topic, BiConsumer<String, String> each) {
        this.client = client;
        this.topic = topic;
        this.each = each;
    }

    void start() {
        Thread.ofPlatform().daemon().name("reads " + topic).start(() -> {
            try (Reader<String> reader = reader()) {
                while (!stop) {
                    Message<String> message = reader.readNext(200, TimeUnit.MILLISECONDS);
                    if (message != null) {
                        each.accept(message.getKey(), message.getValue());
                    }
                }
                done.complete(null);
            } catch (Throwable e) {
                done.completeExceptionally(e);
            }
        });
    }

    private Reader<String> reader() throws PulsarClientException {
        return client.newReader(Schema.STRING)
                .topic(topic)
                .startMessageId(MessageId.earliest)
                .create();
    }

    /** All that is there by now, in this thread. */
    void readToTheEnd() throws Exception {
        try (Reader<String> reader = reader()) {
            while (reader.hasMessageAvailable()) {
                Message<String> message = reader.readNext();
                each.accept(message.getKey(), message.getValue());
            }
        }
    }

    /** Fails if the reader gave up. */
    void check() {
        if (done.isCompletedExceptionally()) {
            done.join();
        }
    }

    void finish() throws Exception {
        stop = true;
        done.get(60, TimeUnit.SECONDS);
    }
}
