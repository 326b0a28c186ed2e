package io.sluice.conformance.clients;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Reader;

/** A Pulsar producer with the client's defaults, but that it waits as long as it takes, and soon finds that a server is silent. */
public final class PulsarCrashClient implements CrashLoad.Client {
    private final String topic;
    private final PulsarClient client;
    private final Producer<byte[]> producer;

    public PulsarCrashClient(String url, String topic) throws PulsarClientException {
        this.topic = topic;
        client = PulsarClients.builder(url)
                .startingBackoffInterval(50, TimeUnit.MILLISECONDS)
                .maxBackoffInterval(200, TimeUnit.MILLISECONDS)
                .keepAliveInterval(3, TimeUnit.SECONDS)
                .build();
        producer = client.newProducer()
                .topic(topic)
                .sendTimeout(0, TimeUnit.SECONDS)
                .blockIfQueueFull(true)
                .create();
    }

    @Override
    public void send(byte[] record, CrashLoad.Answer answered) {
        producer.sendAsync(record).whenComplete((id, failure) -> answered.accept(failure));
    }

    @Override
    public void finishSending() throws PulsarClientException {
        producer.flush();
        producer.close();
    }

    @Override
    public List<byte[]> readBack() throws IOException {
        List<byte[]> records = new ArrayList<>();
        try (Reader<byte[]> reader = client.newReader()
                .topic(topic)
                .startMessageId(MessageId.earliest)
                .create()) {
            while (reader.hasMessageAvailable()) {
                records.add(reader.readNext().getValue());
            }
        } finally {
            client.close();
        }
        return records;
    }

    @Override
    public String toString() {
        return "pulsar " + topic;
    }
}
