package io.sluice.conformance;

import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Reader;
import org.apache.pulsar.client.api.Schema;

/** Reader of a Pulsar client, which never sees more than what is committed. */
final class PulsarCommittedReader extends CommittedReader {
    private final PulsarClient client;

    /** @param each key and value, on a thread of the reader's own */
    PulsarCommittedReader(PulsarClient client, String topic, BiConsumer<String, String> each) {
        super(topic, each);
        this.client = client;
    }

    @Override
    void readOn() throws Exception {
        try (Reader<String> reader = reader()) {
            while (!isStopped()) {
                Message<String> message = reader.readNext(200, TimeUnit.MILLISECONDS);
                if (message != null) {
                    each.accept(message.getKey(), message.getValue());
                }
            }
        }
    }

    private Reader<String> reader() throws PulsarClientException {
        return client.newReader(Schema.STRING)
                .topic(topic)
                .startMessageId(MessageId.earliest)
                .create();
    }

    @Override
    void readToTheEnd() throws Exception {
        try (Reader<String> reader = reader()) {
            while (reader.hasMessageAvailable()) {
                Message<String> message = reader.readNext();
                each.accept(message.getKey(), message.getValue());
            }
        }
    }
}
