package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.scalable.ScalableTopic;
import io.sluice.broker.topic.TopicName;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.pulsar.client.admin.ScalableTopics;
import org.apache.pulsar.client.api.v5.Message;
import org.apache.pulsar.client.api.v5.Producer;
import org.apache.pulsar.client.api.v5.PulsarClient;
import org.apache.pulsar.client.api.v5.PulsarClientException;
import org.apache.pulsar.client.api.v5.QueueConsumer;
import org.apache.pulsar.client.api.v5.StreamConsumer;
import org.apache.pulsar.client.api.v5.config.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.v5.schema.Schema;

/** A gateway with one scalable topic of one segment, and Pulsar 5's client and admin client on it. Values are numbers that rise. */
final class ScalableTopicClients implements AutoCloseable {
    static final String TOPIC = "topic://public/default/s";
    static final Duration SOON = Duration.ofSeconds(30);
    static final int KEYS = 8;

    private final TestGateway gateway = TestGateway.start();
    private final TestAdmin admin = new TestAdmin(gateway);
    private final PulsarClient client;
    private int sent;

    ScalableTopicClients() throws Exception {
        client = PulsarClient.builder()
                .serviceUrl("pulsar://127.0.0.1:" + gateway.port())
                .build();
        scalable().createScalableTopic(TOPIC, 1);
    }

    TestGateway gateway() {
        return gateway;
    }

    ScalableTopics scalable() {
        return admin.client().scalableTopics();
    }

    HttpResponse<String> ask(String method, String path) throws Exception {
        return admin.ask(method, path);
    }

    ScalableTopic topic() {
        return Objects.requireNonNull(gateway.broker().scalableTopics().find(TopicName.ofDefault("s")));
    }

    Producer<String> producer() throws PulsarClientException {
        return client.newProducer(Schema.string()).topic(TOPIC).create();
    }

    /** A message of each key. */
    List<String> send(Producer<String> producer) throws PulsarClientException {
        List<String> values = new ArrayList<>();
        for (int k = 0; k < KEYS; k++) {
            values.add("" + sent++);
            Sends.send(producer, "k" + k, values.getLast());
        }
        return values;
    }

    /** By a producer that comes and goes. */
    List<String> send() throws PulsarClientException {
        try (Producer<String> producer = producer()) {
            return send(producer);
        }
    }

    QueueConsumer<String> queue(String subscription) throws PulsarClientException {
        return client.newQueueConsumer(Schema.string())
                .topic(TOPIC)
                .subscriptionName(subscription)
                .subscriptionInitialPosition(SubscriptionInitialPosition.LATEST)
                .subscribe();
    }

    StreamConsumer<String> stream() throws PulsarClientException {
        return client.newStreamConsumer(Schema.string())
                .topic(TOPIC)
                .subscriptionName("stream")
                .consumerName("c")
                .subscriptionInitialPosition(SubscriptionInitialPosition.EARLIEST)
                .subscribe();
    }

    /** Acknowledges each. */
    static List<String> receive(QueueConsumer<String> consumer, int count) throws PulsarClientException {
        List<String> values = new ArrayList<>();
        while (values.size() < count) {
            Message<String> message = consumer.receive(SOON);
            assertThat(message).as("after " + values).isNotNull();
            consumer.acknowledge(message.id());
            values.add(message.value());
        }
        return values;
    }

    /** Acknowledges up to each. */
    static List<String> receive(StreamConsumer<String> consumer, int count) throws PulsarClientException {
        List<String> values = new ArrayList<>();
        while (values.size() < count) {
            Message<String> message = consumer.receive(SOON);
            assertThat(message).as("after " + values).isNotNull();
            consumer.acknowledgeCumulative(message.id());
            values.add(message.value());
        }
        return values;
    }

    @Override
    public void close() throws Exception {
        client.close();
        admin.close();
        gateway.close();
    }
}
