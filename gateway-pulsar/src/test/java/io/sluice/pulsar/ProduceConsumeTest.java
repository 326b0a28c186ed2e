package io.sluice.pulsar;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.CompressionType;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(90)
class ProduceConsumeTest {
    private TestGateway gateway;
    private PulsarClient client;

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

    private Consumer<byte[]> consumer(String topic) throws PulsarClientException {
        return client.newConsumer()
                .topic(topic)
                .subscriptionName("s")
                .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                .subscribe();
    }

    private static Message<byte[]> next(Consumer<byte[]> consumer) throws PulsarClientException {
        Message<byte[]> message = consumer.receive(30, TimeUnit.SECONDS);
        assertThat(message).as("a message within 10 s").isNotNull();
        return message;
    }

    @Test
    void deliversSingleMessagesInOrderWithKeysAndProperties() throws Exception {
        try (Producer<byte[]> producer =
                client.newProducer().topic("single").enableBatching(false).create()) {
            for (int i = 0; i < 100; i++) {
                producer.newMessage()
                        .key("k" + i)
                        .property("n", Integer.toString(i))
                        .eventTime(1000 + i)
                        .value(("v" + i).getBytes(UTF_8))
                        .send();
            }
        }
        try (Consumer<byte[]> consumer = consumer("single")) {
            for (int i = 0; i < 100; i++) {
                Message<byte[]> m = next(consumer);
                assertThat(new String(m.getData(), UTF_8)).isEqualTo("v" + i);
                assertThat(m.getKey()).isEqualTo("k" + i);
                assertThat(m.getProperty("n")).isEqualTo(Integer.toString(i));
                assertThat(m.getEventTime()).isEqualTo(1000 + i);
                consumer.acknowledge(m);
            }
        }
    }

    @Test
    void deliversBatchesOfEveryCompression() throws Exception {
        for (CompressionType type : CompressionType.values()) {
            String topic = "batched-" + type;
            List<CompletableFuture<MessageId>> sent = new ArrayList<>();
            try (Producer<byte[]> producer = client.newProducer()
                    .topic(topic)
                    .compressionType(type)
                    .batchingMaxPublishDelay(20, TimeUnit.MILLISECONDS)
                    .create()) {
                for (int i = 0; i < 1000; i++) {
                    sent.add(producer.sendAsync(("value " + i).getBytes(UTF_8)));
                }
                producer.flush();
            }
            try (Consumer<byte[]> consumer = consumer(topic)) {
                for (int i = 0; i < 1000; i++) {
                    Message<byte[]> m = next(consumer);
                    assertThat(new String(m.getData(), UTF_8)).isEqualTo("value " + i);
                    assertThat(m.getMessageId()).isEqualTo(sent.get(i).get());
                    consumer.acknowledge(m);
                }
            }
        }
    }

    @Test
    void spreadsOverPartitions() throws Exception {
        gateway.broker().createTopic("parts", 4);
        try (Producer<byte[]> producer = client.newProducer().topic("parts").create();
                Consumer<byte[]> consumer = consumer("parts")) {
            for (int i = 0; i < 200; i++) {
                producer.newMessage()
                        .key("k" + i)
                        .value(("v" + i).getBytes(UTF_8))
                        .sendAsync();
            }
            producer.flush();
            List<String> got = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                Message<byte[]> m = next(consumer);
                got.add(new String(m.getData(), UTF_8));
                consumer.acknowledge(m);
            }
            assertThat(got).doesNotHaveDuplicates().hasSize(200);
        }
    }

    @Test
    void carriesLargeAndChunkedMessages() throws Exception {
        byte[] large = new byte[4 * 1024 * 1024];
        byte[] huge = new byte[12 * 1024 * 1024];
        new Random(7).nextBytes(large);
        new Random(8).nextBytes(huge);
        try (Producer<byte[]> producer = client.newProducer()
                        .topic("large")
                        .enableBatching(false)
                        .enableChunking(true)
                        .create();
                Consumer<byte[]> consumer = consumer("large")) {
            producer.send(large);
            producer.send(huge);
            producer.send(new byte[] {1});
            Message<byte[]> first = next(consumer);
            assertThat(Arrays.equals(first.getData(), large)).isTrue();
            Message<byte[]> second = next(consumer);
            assertThat(Arrays.equals(second.getData(), huge)).isTrue();
            consumer.acknowledge(first);
            consumer.acknowledge(second);
            assertThat(next(consumer).getData()).containsExactly(1);
        }
    }

    @Test
    void worksWithSchemas() throws Exception {
        try (Producer<String> producer =
                        client.newProducer(Schema.STRING).topic("strings").create();
                Consumer<String> consumer = client.newConsumer(Schema.STRING)
                        .topic("strings")
                        .subscriptionName("s")
                        .subscribe()) {
            producer.send("hello");
            assertThat(consumer.receive(30, TimeUnit.SECONDS).getValue()).isEqualTo("hello");
        }
        try (Producer<Person> producer = client.newProducer(Schema.JSON(Person.class))
                        .topic("people")
                        .create();
                Consumer<Person> consumer = client.newConsumer(Schema.JSON(Person.class))
                        .topic("people")
                        .subscriptionName("s")
                        .subscribe();
                var auto = client.newConsumer(Schema.AUTO_CONSUME())
                        .topic("people")
                        .subscriptionName("auto")
                        .subscribe()) {
            producer.send(new Person("Ada", 36));
            assertThat(consumer.receive(30, TimeUnit.SECONDS).getValue().name).isEqualTo("Ada");
            assertThat(auto.receive(30, TimeUnit.SECONDS).getValue().getField("age"))
                    .isEqualTo(36);
        }
    }

    /** For the JSON schema. */
    public static final class Person {
        public String name = "";
        public int age;

        public Person() {}

        Person(String name, int age) {
            this.name = name;
            this.age = age;
        }
    }

    @Test
    void survivesARestart() throws Exception {
        Producer<byte[]> producer =
                client.newProducer().topic("durable").enableBatching(false).create();
        Consumer<byte[]> consumer = consumer("durable");
        for (int i = 0; i < 10; i++) {
            producer.send(new byte[] {(byte) i});
        }
        for (int i = 0; i < 5; i++) {
            consumer.acknowledge(next(consumer));
        }
        consumer.close();
        gateway.restart();
        producer.send(new byte[] {10});
        try (Consumer<byte[]> again = consumer("durable")) {
            for (int i = 5; i < 11; i++) {
                assertThat(next(again).getData()).containsExactly(i);
            }
        }
    }
}
