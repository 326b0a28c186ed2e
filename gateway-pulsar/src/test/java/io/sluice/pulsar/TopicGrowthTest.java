package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.MessageRoutingMode;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.ProducerAccessMode;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.common.protocol.Commands;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The stock client on topics that get more partitions: no subscription misses what is sent to the new ones. */
@Timeout(120)
class TopicGrowthTest {
    private static TestGateway gateway;
    private static TestAdmin http;
    private static PulsarAdmin admin;
    private static PulsarClient client;

    private final String topic = "growing-" + UUID.randomUUID();

    @BeforeAll
    static void start() throws Exception {
        gateway = TestGateway.start();
        http = new TestAdmin(gateway);
        admin = http.client();
        client = gateway.client();
    }

    @AfterAll
    static void stop() throws Exception {
        client.close();
        http.close();
        gateway.close();
    }

    private Consumer<String> subscribe(String name, SubscriptionType type) throws PulsarClientException {
        return client.newConsumer(Schema.STRING)
                .topic(topic)
                .subscriptionName(name)
                .subscriptionType(type)
                .subscriptionInitialPosition(SubscriptionInitialPosition.Latest)
                .autoUpdatePartitionsInterval(1, TimeUnit.SECONDS)
                .subscribe();
    }

    /** By a producer that knows the topic as it is now, to all its partitions. */
    private List<String> send(String prefix, int count) throws PulsarClientException {
        List<String> sent = new ArrayList<>();
        try (Producer<String> producer = client.newProducer(Schema.STRING)
                .topic(topic)
                .enableBatching(false)
                .messageRoutingMode(MessageRoutingMode.RoundRobinPartition)
                .create()) {
            for (int n = 0; n < count; n++) {
                producer.send(prefix + n);
                sent.add(prefix + n);
            }
        }
        return sent;
    }

    private static void expect(Consumer<String> consumer, List<String> sent) throws PulsarClientException {
        List<String> received = new ArrayList<>();
        while (received.size() < sent.size()) {
            Message<String> message = consumer.receive(30, TimeUnit.SECONDS);
            assertThat(message)
                    .as("%d of %d arrived", received.size(), sent.size())
                    .isNotNull();
            received.add(message.getValue());
            consumer.acknowledge(message);
        }
        assertThat(received).containsExactlyInAnyOrderElementsOf(sent);
    }

    private void create(int partitions, boolean elastic) {
        Map<String, String> settings = elastic ? Map.of(Topic.ELASTIC, "true") : Map.of();
        gateway.broker()
                .catalogue()
                .create(TopicName.ofDefault(topic), partitions, true, false, settings)
                .join();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aSubscriptionWithoutAConsumerHasWhatIsSentToNewPartitions(boolean elastic) throws Exception {
        create(1, elastic);
        subscribe("s", SubscriptionType.Exclusive).close();
        admin.topics().updatePartitionedTopic(topic, 3);
        List<String> sent = send("m", 12);
        try (Consumer<String> consumer = subscribe("s", SubscriptionType.Exclusive)) {
            expect(consumer, sent);
        }
        assertThat(admin.topics().getSubscriptions(topic + "-partition-2")).containsExactly("s");
    }

    /** It looks for new partitions once a second, and subscribes to them from the latest message on. */
    @ParameterizedTest
    @EnumSource(SubscriptionType.class)
    void aConsumerThatIsAttachedThroughoutMissesNothing(SubscriptionType type) throws Exception {
        create(2, false);
        try (Consumer<String> consumer = subscribe("s", type)) {
            List<String> sent = send("a", 6);
            for (int partitions = 3; partitions < 7; partitions++) {
                admin.topics().updatePartitionedTopic(topic, partitions);
                sent.addAll(send("m" + partitions + "-", 12));
            }
            expect(consumer, sent);
        }
    }

    @Test
    void everySubscriptionKeepsItsPropertiesAndItsOwnPosition() throws Exception {
        create(2, false);
        admin.topics().createSubscription(topic, "with", MessageId.latest, false, Map.of("a", "b"));
        send("before", 4);
        subscribe("late", SubscriptionType.Shared).close();
        admin.topics().updatePartitionedTopic(topic, 4);
        List<String> sent = send("m", 8);
        var with = admin.topics()
                .getStats(topic + "-partition-3")
                .getSubscriptions()
                .get("with");
        assertThat(Objects.requireNonNull(with).getSubscriptionProperties()).isEqualTo(Map.of("a", "b"));
        try (Consumer<String> consumer = subscribe("late", SubscriptionType.Shared)) {
            expect(consumer, sent);
        }
    }

    /** A topic grows between the client's look at the number of partitions and its subscriptions, or while these are made. */
    @Test
    void aConsumerThatComesWhileTheTopicGrowsMissesNothing() throws Exception {
        create(2, false);
        for (int partitions = 3; partitions < 8; partitions++) {
            CompletableFuture<Void> growth = admin.topics().updatePartitionedTopicAsync(topic, partitions);
            try (Consumer<String> consumer = subscribe("s" + partitions, SubscriptionType.Exclusive)) {
                growth.join();
                expect(consumer, send("m" + partitions + "-", 16));
            }
        }
    }

    @Test
    void aConsumerThatHasNotNoticedTheGrowthUnsubscribesFromAllPartitions() throws Exception {
        create(2, false);
        Consumer<String> consumer = client.newConsumer(Schema.STRING)
                .topic(topic)
                .subscriptionName("s")
                .autoUpdatePartitions(false)
                .subscribe();
        admin.topics().updatePartitionedTopic(topic, 3);
        assertThat(admin.topics().getSubscriptions(topic + "-partition-2")).containsExactly("s");
        consumer.unsubscribe();
        assertThat(admin.topics().getSubscriptions(topic)).isEmpty();
    }

    @Test
    void aSubscriptionOfTheAdminClientIsMadeAndDeletedInPartitionsThatAreJustAdded() throws Exception {
        create(1, false);
        CompletableFuture<Void> growth = admin.topics().updatePartitionedTopicAsync(topic, 4);
        admin.topics().createSubscription(topic, "s", MessageId.latest);
        growth.join();
        for (int p = 0; p < 4; p++) {
            assertThat(admin.topics().getSubscriptions(topic + "-partition-" + p))
                    .containsExactly("s");
        }
        growth = admin.topics().updatePartitionedTopicAsync(topic, 8);
        admin.topics().deleteSubscription(topic, "s");
        growth.join();
        assertThat(admin.topics().getSubscriptions(topic)).isEmpty();
    }

    @Test
    void theInitialSubscriptionOfAProducerIsMadeInPartitionsThatAreJustAdded() throws Exception {
        create(1, false);
        admin.topics().updatePartitionedTopic(topic, 2);
        try (RawClient raw = RawClient.connect(gateway)) {
            raw.write(Commands.newProducer(
                    "persistent://public/default/" + topic + "-partition-0",
                    1,
                    1,
                    "p",
                    false,
                    Map.of(),
                    null,
                    0,
                    false,
                    ProducerAccessMode.Shared,
                    Optional.empty(),
                    false,
                    "initial"));
            assertThat(raw.read().hasProducerSuccess()).isTrue();
        }
        for (int p = 0; p < 2; p++) {
            assertThat(admin.topics().getSubscriptions(topic + "-partition-" + p))
                    .containsExactly("initial");
        }
    }
}
