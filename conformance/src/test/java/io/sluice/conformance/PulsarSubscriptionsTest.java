package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.conformance.clients.PulsarClients;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a subscription can be told beyond acknowledging: seek, where the end is, unsubscribe. With Pulsar's Java client. */
class PulsarSubscriptionsTest {
    @TempDir
    private static Path folder;

    private static SluiceServer server;
    private static PulsarClient client;
    private static PulsarAdmin admin;

    private final String topic = "persistent://public/default/subscription-" + UUID.randomUUID();

    @BeforeAll
    static void start() throws Exception {
        server = SluiceServer.start(folder.resolve("data"));
        client = PulsarClients.builder(server.pulsar()).build();
        admin = PulsarAdmin.builder().serviceHttpUrl(server.http()).build();
    }

    @AfterAll
    static void stop() throws Exception {
        client.close();
        admin.close();
        server.close();
    }

    private Consumer<String> subscribe(SubscriptionType type) throws PulsarClientException {
        return client.newConsumer(Schema.STRING)
                .topic(topic)
                .subscriptionName("s")
                .subscriptionType(type)
                .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                .subscribe();
    }

    private Producer<String> producer() throws PulsarClientException {
        return client.newProducer(Schema.STRING)
                .topic(topic)
                .enableBatching(false)
                .create();
    }

    private static List<MessageId> send(Producer<String> producer, int from, int to) throws PulsarClientException {
        List<MessageId> ids = new ArrayList<>();
        for (int n = from; n < to; n++) {
            ids.add(producer.newMessage().key("one").value("m" + n).send());
        }
        return ids;
    }

    private static void expect(Consumer<String> consumer, int from, int to) throws PulsarClientException {
        for (int n = from; n < to; n++) {
            Message<String> message = consumer.receive(30, TimeUnit.SECONDS);
            assertThat(message).as("m%d", n).isNotNull();
            assertThat(message.getValue()).isEqualTo("m" + n);
            consumer.acknowledge(message);
        }
    }

    private static void expectNothing(Consumer<String> consumer) throws PulsarClientException {
        assertThat(consumer.receive(500, TimeUnit.MILLISECONDS)).isNull();
    }

    private long backlog() throws Exception {
        return Objects.requireNonNull(
                        admin.topics().getStats(topic).getSubscriptions().get("s"))
                .getMsgBacklog();
    }

    @ParameterizedTest
    @EnumSource(SubscriptionType.class)
    void seeksByIdAndByTime(SubscriptionType type) throws Exception {
        try (Producer<String> producer = producer();
                Consumer<String> consumer = subscribe(type)) {
            List<MessageId> ids = send(producer, 0, 10);
            long last = System.currentTimeMillis();
            await().until(() -> System.currentTimeMillis() > last + 5);
            long middle = System.currentTimeMillis();
            send(producer, 10, 20);
            expect(consumer, 0, 20);
            consumer.seek(ids.get(4));
            expect(consumer, 5, 20);
            consumer.seek(middle);
            expect(consumer, 10, 20);
            consumer.seek(MessageId.earliest);
            expect(consumer, 0, 3);
            consumer.seek(MessageId.latest);
            send(producer, 20, 22);
            expect(consumer, 20, 22);
            expectNothing(consumer);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = SubscriptionType.class,
            names = {"Failover", "Shared", "Key_Shared"})
    void seekingMovesAllConsumersOfTheSubscription(SubscriptionType type) throws Exception {
        try (Producer<String> producer = producer();
                Consumer<String> one = subscribe(type);
                Consumer<String> two = subscribe(type)) {
            send(producer, 0, 10);
            await().until(() -> drain(one) + drain(two) >= 0 && backlog() == 0);
            two.seek(MessageId.earliest);
            List<String> again = new ArrayList<>();
            await().until(() -> {
                drain(one, again);
                drain(two, again);
                return again.size() >= 10;
            });
            assertThat(again).containsExactlyInAnyOrder("m0", "m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8", "m9");
        }
    }

    private static int drain(Consumer<String> consumer) throws PulsarClientException {
        return drain(consumer, new ArrayList<>());
    }

    private static int drain(Consumer<String> consumer, List<String> into) throws PulsarClientException {
        int n = 0;
        for (Message<String> m = consumer.receive(50, TimeUnit.MILLISECONDS);
                m != null;
                m = consumer.receive(50, TimeUnit.MILLISECONDS)) {
            into.add(m.getValue());
            consumer.acknowledge(m);
            n++;
        }
        return n;
    }

    @ParameterizedTest
    @EnumSource(SubscriptionType.class)
    void knowsTheLastMessage(SubscriptionType type) throws Exception {
        try (Consumer<String> consumer = subscribe(type);
                Producer<String> single = producer();
                Producer<String> batching = client.newProducer(Schema.STRING)
                        .topic(topic)
                        .batchingMaxMessages(3)
                        .batchingMaxPublishDelay(1, TimeUnit.MINUTES)
                        .create()) {
            assertThat(last(consumer).compareTo(MessageId.earliest)).isLessThanOrEqualTo(0);
            MessageId sent = send(single, 0, 5).getLast();
            assertThat(last(consumer).compareTo(sent)).isZero();
            batching.sendAsync("m5");
            batching.sendAsync("m6");
            MessageId ofBatch = batching.sendAsync("m7").get(30, TimeUnit.SECONDS);
            assertThat(last(consumer).compareTo(ofBatch)).isZero();
            expect(consumer, 0, 8);
        }
    }

    private static MessageId last(Consumer<String> consumer) throws PulsarClientException {
        return consumer.getLastMessageIds().getFirst();
    }

    @Test
    void unsubscribingDropsThePositionAndTheBacklogAndNobodyElses() throws Exception {
        try (Producer<String> producer = producer();
                Consumer<String> other = client.newConsumer(Schema.STRING)
                        .topic(topic)
                        .subscriptionName("other")
                        .subscribe()) {
            Consumer<String> consumer = subscribe(SubscriptionType.Exclusive);
            send(producer, 0, 10);
            expect(consumer, 0, 4);
            await().until(() -> backlog() == 6);
            consumer.unsubscribe();
            assertThat(admin.topics().getSubscriptions(topic)).containsExactly("other");
            expect(other, 0, 10);
            try (Consumer<String> again = subscribe(SubscriptionType.Exclusive)) {
                expect(again, 0, 10);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = SubscriptionType.class,
            names = {"Failover", "Shared", "Key_Shared"})
    void onlyTheLastConsumerCanUnsubscribe(SubscriptionType type) throws Exception {
        try (Producer<String> producer = producer()) {
            Consumer<String> one = subscribe(type);
            Consumer<String> two = subscribe(type);
            for (Consumer<String> each : List.of(one, two)) {
                assertThatThrownBy(each::unsubscribe)
                        .isInstanceOf(PulsarClientException.BrokerMetadataException.class)
                        .hasMessageContaining("Unconnected or shared consumer attempting to unsubscribe");
            }
            send(producer, 0, 10);
            List<String> got = new ArrayList<>();
            await().until(() -> drain(one, got) + drain(two, got) >= 0 && got.size() >= 10);
            assertThat(got).hasSize(10);
            two.close();
            one.unsubscribe();
            assertThat(admin.topics().getSubscriptions(topic)).isEmpty();
        }
    }
}
