package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Reader;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The stock client on a topic whose partitions are made on use. */
@Timeout(60)
class ElasticTopicTest {
    private static final TopicName NAME = TopicName.ofDefault("t");

    private TestGateway gateway;
    private PulsarClient client;

    @BeforeEach
    void start() throws Exception {
        gateway = TestGateway.start();
        gateway.broker()
                .catalogue()
                .create(NAME, 8, true, false, Map.of(Topic.ELASTIC, "true"))
                .join();
        client = PulsarClient.builder()
                .serviceUrl("pulsar://127.0.0.1:" + gateway.port())
                .build();
    }

    @AfterEach
    void close() throws Exception {
        client.close();
        gateway.close();
    }

    @Test
    void isUsedLikeAnyPartitionedTopic() throws Exception {
        try (Reader<String> reader = client.newReader(Schema.STRING)
                        .topic("t")
                        .startMessageId(MessageId.earliest)
                        .create();
                Consumer<String> consumer = client.newConsumer(Schema.STRING)
                        .topic("t")
                        .subscriptionName("s")
                        .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                        .subscribe();
                Producer<String> producer = client.newProducer(Schema.STRING)
                        .topic("t")
                        .enableBatching(false)
                        .create()) {
            List<String> sent = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                producer.newMessage().key("k" + i % 5).value("m" + i).send();
                sent.add("m" + i);
            }
            List<String> received = new ArrayList<>();
            List<String> read = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                Message<String> message = consumer.receive(20, TimeUnit.SECONDS);
                received.add(message.getValue());
                consumer.acknowledge(message);
                read.add(reader.readNext(20, TimeUnit.SECONDS).getValue());
            }
            assertThat(received).containsExactlyInAnyOrderElementsOf(sent);
            assertThat(read).containsExactlyInAnyOrderElementsOf(sent);
        }
        Topic topic = Objects.requireNonNull(gateway.broker().catalogue().find(NAME));
        assertThat(topic.partitions())
                .allSatisfy(
                        p -> assertThat(gateway.broker().partitions().find(p)).isNotNull());
    }
}
