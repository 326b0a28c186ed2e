package io.sluice.pulsar;

import java.time.Duration;
import org.apache.pulsar.client.api.v5.Message;
import org.apache.pulsar.client.api.v5.PulsarClientException;
import org.apache.pulsar.client.api.v5.QueueConsumer;
import org.apache.pulsar.client.api.v5.StreamConsumer;
import org.jspecify.annotations.Nullable;

/** What consumers of Pulsar 5's client have in common. */
interface Receives {
    /** Null if nothing came. */
    @Nullable
    Message<String> receive(Duration within) throws PulsarClientException;

    /** Acknowledges each, in no transaction. */
    static Receives acknowledging(QueueConsumer<String> queue) {
        return within -> {
            Message<String> message = queue.receive(within);
            if (message != null) {
                queue.acknowledge(message.id());
            }
            return message;
        };
    }

    /** Acknowledges up to each, in no transaction. */
    static Receives acknowledging(StreamConsumer<String> stream) {
        return within -> {
            Message<String> message = stream.receive(within);
            if (message != null) {
                stream.acknowledgeCumulative(message.id());
            }
            return message;
        };
    }
}
