package io.sluice.pulsar;

import static io.sluice.pulsar.GeoReplicationTest.awaitRead;
import static io.sluice.pulsar.GeoReplicationTest.expectNothing;
import static io.sluice.pulsar.GeoReplicationTest.receive;
import static io.sluice.pulsar.GeoReplicationTest.replicate;
import static io.sluice.pulsar.GeoReplicationTest.send;
import static io.sluice.pulsar.GeoReplicationTest.values;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two clusters of one server each, and subscriptions that move in both when they move in one. */
@Timeout(90)
class ReplicatedSubscriptionsTest {
    private static final String T = "persistent://public/default/t";
    private static final Duration SOON = Duration.ofSeconds(30);

    private final List<AutoCloseable> open = new ArrayList<>();
    private TestGateway near;
    private TestGateway far;
    private TestAdmin nearAdmin;
    private TestAdmin farAdmin;
    private PulsarClient here;
    private PulsarClient there;

    @BeforeEach
    void start() throws Exception {
        near = TestGateway.start(GeoReplicationTest.named("near"));
        far = TestGateway.start(GeoReplicationTest.named("far"));
        nearAdmin = new TestAdmin(near);
        farAdmin = new TestAdmin(far);
        replicate(nearAdmin.client(), "near", "far", farAdmin, far);
        replicate(farAdmin.client(), "far", "near", nearAdmin, near);
        here = client(near);
        there = client(far);
    }

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
        nearAdmin.close();
        farAdmin.close();
        near.close();
        far.close();
    }

    private PulsarClient client(TestGateway of) throws Exception {
        PulsarClient client = of.client();
        open.add(client);
        return client;
    }

    private static Consumer<byte[]> subscribe(PulsarClient client, String name, SubscriptionType type)
            throws Exception {
        return client.newConsumer()
                .topic(T)
                .subscriptionName(name)
                .subscriptionType(type)
                .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                .replicateSubscriptionState(true)
                .subscribe();
    }

    /** The subscription is there, and this many messages are not acknowledged. */
    private static void awaitUnacknowledged(TestAdmin admin, String subscription, long messages) {
        await().atMost(SOON)
                .ignoreExceptions()
                .untilAsserted(() -> assertThat(admin.client()
                                .topics()
                                .analyzeSubscriptionBacklog(T, subscription, Optional.empty())
                                .getMessages())
                        .isEqualTo(messages));
    }

    /** The last message is there, and acknowledged: without a look for it there may be nothing yet to acknowledge. */
    private static void awaitAcknowledged(PulsarClient client, TestAdmin admin, String subscription, String last)
            throws Exception {
        awaitRead(client, T, last);
        awaitUnacknowledged(admin, subscription, 0);
    }

    @Test
    void goesOnInTheOtherClusterAndBack() throws Exception {
        SubscriptionType type = SubscriptionType.Shared;
        Producer<byte[]> producer = here.newProducer().topic(T).create();
        Producer<byte[]> others = there.newProducer().topic(T).create();
        try (Consumer<byte[]> consumer = subscribe(here, "s", type)) {
            send(producer, "m", 0, 50);
            assertThat(receive(consumer, 50)).isEqualTo(values("m", 0, 50));
            awaitAcknowledged(there, farAdmin, "s", "m49");
        }
        assertThat(farAdmin.client().topics().getStats(T).getSubscriptions())
                .hasEntrySatisfying(
                        "s", stats -> assertThat(stats.isReplicated()).isTrue());

        send(producer, "m", 50, 80);
        send(others, "o", 0, 20);
        try (Consumer<byte[]> consumer = subscribe(there, "s", type)) {
            assertThat(receive(consumer, 50))
                    .containsExactlyInAnyOrderElementsOf(
                            Stream.concat(values("m", 50, 80).stream(), values("o", 0, 20).stream())
                                    .toList());
            expectNothing(consumer);
            awaitAcknowledged(here, nearAdmin, "s", "o19");
        }

        send(others, "o", 20, 30);
        try (Consumer<byte[]> consumer = subscribe(here, "s", type)) {
            assertThat(receive(consumer, 10)).isEqualTo(values("o", 20, 30));
            expectNothing(consumer);
        }
    }

    /** Both have consumers at once: each gets all, but what the other has acknowledged before. */
    @Test
    void aConsumerThatIsConnectedIsMovedToo() throws Exception {
        Producer<byte[]> producer = here.newProducer().topic(T).create();
        Consumer<byte[]> consumer = subscribe(here, "s", SubscriptionType.Exclusive);
        send(producer, "m", 0, 20);
        receive(consumer, 20);
        awaitAcknowledged(there, farAdmin, "s", "m19");
        try (Consumer<byte[]> other = subscribe(there, "s", SubscriptionType.Exclusive)) {
            send(producer, "m", 20, 40);
            receive(consumer, 20);
            awaitAcknowledged(there, farAdmin, "s", "m39");
            send(producer, "m", 40, 41);
            List<String> seen = new ArrayList<>();
            do {
                seen.addAll(receive(other, 1));
            } while (!seen.getLast().equals("m40"));
            assertThat(seen).doesNotContainAnyElementsOf(values("m", 0, 20));
        }
    }

    @Test
    void worksAfterRestartsAndMoves() throws Exception {
        TopicName name = TopicName.ofDefault("t");
        near.broker().createTopic(name, 1, false);
        Producer<byte[]> producer = here.newProducer().topic(T).create();
        Consumer<byte[]> consumer = subscribe(here, "s", SubscriptionType.Exclusive);
        for (int round = 0; round < 4; round++) {
            send(producer, "m", round * 20, round * 20 + 20);
            receive(consumer, 20);
            awaitAcknowledged(there, farAdmin, "s", "m" + (round * 20 + 19));
            switch (round) {
                case 0 -> near.restart();
                case 1 -> far.restart();
                case 2 -> {
                    Topic topic =
                            Objects.requireNonNull(near.broker().catalogue().find(name));
                    int other = 1 - topic.partitions().getFirst().container();
                    near.broker().catalogue().move(name, 0, other).join();
                }
                default -> expectNothing(subscribe(there, "s", SubscriptionType.Exclusive));
            }
        }
    }

    /** A subscription far behind finds the snapshots that were taken before a restart as it goes on. */
    @Test
    void snapshotsOfAnEarlierTermAreFoundInTheLog() throws Exception {
        Producer<byte[]> producer = here.newProducer().topic(T).create();
        subscribe(here, "s", SubscriptionType.Exclusive).close();
        try (Consumer<byte[]> ahead = subscribe(here, "ahead", SubscriptionType.Exclusive)) {
            send(producer, "m", 0, 10);
            receive(ahead, 10);
            awaitAcknowledged(there, farAdmin, "ahead", "m9");
            send(producer, "m", 10, 20);
            receive(ahead, 10);
            awaitAcknowledged(there, farAdmin, "ahead", "m19");
        }
        near.restart();
        try (Consumer<byte[]> consumer = subscribe(here, "s", SubscriptionType.Exclusive)) {
            assertThat(receive(consumer, 10)).isEqualTo(values("m", 0, 10));
            awaitUnacknowledged(farAdmin, "s", 10);
        }
    }

    @Test
    void isReplicatedFromWhenItsStatusSaysSo() throws Exception {
        Producer<byte[]> producer = here.newProducer().topic(T).create();
        Consumer<byte[]> consumer = subscribe(here, "s", SubscriptionType.Exclusive);
        Consumer<byte[]> plain =
                here.newConsumer().topic(T).subscriptionName("plain").subscribe();
        send(producer, "m", 0, 10);
        receive(consumer, 10);
        receive(plain, 10);
        awaitAcknowledged(there, farAdmin, "s", "m9");
        assertThat(farAdmin.client().topics().getSubscriptions(T)).containsExactly("s");

        nearAdmin.client().topics().setReplicatedSubscriptionStatus(T, "plain", true);
        send(producer, "m", 10, 20);
        receive(plain, 10);
        awaitAcknowledged(there, farAdmin, "plain", "m19");
        assertThat(farAdmin.client().topics().getReplicatedSubscriptionStatus(T, "plain"))
                .containsValue(true);

        // nothing new: no more markers
        AtomicReference<List<Long>> before = new AtomicReference<>(List.of());
        await().during(Duration.ofSeconds(3)).atMost(SOON).until(() -> {
            List<Long> now = ends();
            return now.equals(before.getAndSet(now));
        });
    }

    private List<Long> ends() {
        return List.of(
                near.broker().partition("t", 0).durableEnd(),
                far.broker().partition("t", 0).durableEnd());
    }
}
