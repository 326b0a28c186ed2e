package io.sluice.pulsar;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/** A gateway and a client for each test, and short words for what tests do with them. */
@Timeout(90)
abstract class ClientTest {
    static final long SOON = 30;

    TestGateway gateway;
    PulsarClient client;

    @BeforeEach
    void start() throws Exception {
        gateway = TestGateway.start();
        client = gateway.client();
    }

    @AfterEach
    void stop() throws Exception {
        client.close();
        gateway.close();
    }

    ConsumerBuilder<byte[]> subscribe(String topic) {
        return client.newConsumer()
                .topic(topic)
                .subscriptionName("s")
                .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest);
    }

    Producer<byte[]> single(String topic) throws PulsarClientException {
        return client.newProducer().topic(topic).enableBatching(false).create();
    }

    /** A producer whose messages go in batches of exactly {@code size}. */
    Producer<byte[]> batching(String topic, int size) throws PulsarClientException {
        return client.newProducer()
                .topic(topic)
                .batchingMaxMessages(size)
                .batchingMaxPublishDelay(1, TimeUnit.MINUTES)
                .create();
    }

    static MessageId send(Producer<byte[]> producer, int value) throws PulsarClientException {
        return producer.send(bytes(value));
    }

    static List<MessageId> sendBatch(Producer<byte[]> producer, int from, int to) throws Exception {
        List<java.util.concurrent.CompletableFuture<MessageId>> sent = new ArrayList<>();
        for (int i = from; i < to; i++) {
            sent.add(producer.sendAsync(bytes(i)));
        }
        producer.flush();
        List<MessageId> ids = new ArrayList<>();
        for (var s : sent) {
            ids.add(s.get());
        }
        return ids;
    }

    static byte[] bytes(int value) {
        return Integer.toString(value).getBytes(UTF_8);
    }

    static int value(Message<byte[]> message) {
        return Integer.parseInt(new String(message.getData(), UTF_8));
    }

    static Message<byte[]> next(Consumer<byte[]> consumer) throws PulsarClientException {
        Message<byte[]> message = consumer.receive((int) SOON, TimeUnit.SECONDS);
        assertThat(message).as("a message within " + SOON + " s").isNotNull();
        return message;
    }

    static void expect(Consumer<byte[]> consumer, int... values) throws PulsarClientException {
        for (int v : values) {
            assertThat(value(next(consumer))).isEqualTo(v);
        }
    }

    static void expectNothing(Consumer<byte[]> consumer) throws PulsarClientException {
        Message<byte[]> message = consumer.receive(300, TimeUnit.MILLISECONDS);
        assertThat(message == null ? "nothing" : "message " + value(message)).isEqualTo("nothing");
    }
}
