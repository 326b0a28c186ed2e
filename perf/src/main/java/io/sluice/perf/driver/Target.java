package io.sluice.perf.driver;

import io.sluice.perf.workload.Batching;
import io.sluice.perf.workload.Sharing;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** A system under load. Closing it closes its producers and consumers. */
public interface Target extends AutoCloseable {
    /** Settings of the client that matter to read the figures, but for its batches. */
    Map<String, String> clientSettings();

    /** Creates the topics; every partition takes records when this returns. */
    void createTopics(List<String> topics, int partitions) throws Exception;

    /** @throws IllegalArgumentException the client cannot batch so; the message tells a user */
    Sender producer(String topic, Batching batching) throws Exception;

    default Sender producer(String topic) throws Exception {
        return producer(topic, Batching.STANDARD);
    }

    /**
     * Starts to read the topic from its beginning, together with the other consumers of the subscription.
     *
     * @param alone no other consumer will join the subscription
     * @param sharing of the topic with the others
     * @param each gets the first 8 bytes of every record, on a thread of the target's
     * @throws IllegalArgumentException the client cannot share so; the message tells a user
     */
    void consume(String topic, String subscription, boolean alone, Sharing sharing, LongConsumer each) throws Exception;

    /** For clients that share partitions only. */
    static void sharesPartitions(Sharing sharing) {
        if (sharing != Sharing.PARTITIONS) {
            throw new IllegalArgumentException("this client shares partitions, not " + sharing);
        }
    }

    @Override
    void close() throws Exception;

    /** One producer; used by one thread. */
    interface Sender {
        /**
         * Sends without waiting for the receipt; may block while the client's own buffer is full.
         *
         * @param value belongs to the client from now on
         * @param acknowledged called once, on any thread, when the server has answered
         * @param failed called instead if it never will
         */
        void send(byte @Nullable [] key, byte[] value, Runnable acknowledged, Consumer<Throwable> failed);

        /** Sends what is still buffered and returns when all is answered. */
        void flush() throws Exception;
    }
}
