package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sluice.broker.access.Authorizer;
import io.sluice.broker.cluster.SingleNode;
import io.sluice.broker.log.PartitionLog;
import io.sluice.pulsar.config.PulsarGatewayConfig;
import io.sluice.pulsar.config.PulsarGatewayConfig.Limits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.common.policies.data.SubscriptionStats;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Small limits, so that every one of them is reached. */
@Timeout(90)
class LimitsTest {
    private static final Limits SMALL = new Limits(
            32 * 1024,
            64 * 1024,
            10,
            16 * 1024,
            10,
            15,
            5,
            100,
            Duration.ofSeconds(5),
            Duration.ofSeconds(30),
            Duration.ofSeconds(60),
            Duration.ofSeconds(60),
            Duration.ofSeconds(60));

    private TestGateway gateway;
    private PulsarClient client;

    @BeforeEach
    void start() throws Exception {
        gateway = TestGateway.start(c -> new PulsarGatewayConfig(
                c.host(),
                c.port(),
                c.advertisedHost(),
                c.advertisedPort(),
                c.listeners(),
                c.httpUrl(),
                c.clusterName(),
                c.instance(),
                c.topics(),
                c.deduplication(),
                c.compactionThreshold(),
                SMALL));
        client = gateway.client();
    }

    @AfterEach
    void stop() throws Exception {
        client.close();
        gateway.close();
    }

    private Producer<byte[]> producer() throws PulsarClientException {
        return client.newProducer().topic("t").enableBatching(false).create();
    }

    private Consumer<byte[]> consumer(SubscriptionType type) throws PulsarClientException {
        return client.newConsumer()
                .topic("t")
                .subscriptionName("s")
                .subscriptionType(type)
                .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                .subscribe();
    }

    private static byte[] large(int i) {
        byte[] bytes = new byte[10_000];
        bytes[0] = (byte) i;
        return bytes;
    }

    @Test
    void publishersWaitWhileTheLogIsSlowAndGoOnAfterwards() throws Exception {
        try (Producer<byte[]> producer = producer()) {
            producer.send(large(0));
            PartitionLog log = gateway.broker().partition("t", 0);
            var container = gateway.broker().containers().get(log.container().id());
            container.hold();
            List<CompletableFuture<MessageId>> sent = new ArrayList<>();
            for (int i = 1; i <= 100; i++) {
                sent.add(producer.sendAsync(large(i)));
            }
            var budget = gateway.gateway().services().budget();
            await().until(() -> budget.used() > 40_000);
            assertThat(budget.used()).isLessThan(64 * 1024 + 2 * 256 * 1024);
            assertThat(sent).noneMatch(CompletableFuture::isDone);
            container.release();
            for (CompletableFuture<MessageId> s : sent) {
                s.get(30, TimeUnit.SECONDS);
            }
            await().until(() -> budget.used() == 0);
        }
        try (Consumer<byte[]> consumer = consumer(SubscriptionType.Exclusive)) {
            for (int i = 0; i <= 100; i++) {
                Message<byte[]> m = consumer.receive(30, TimeUnit.SECONDS);
                assertThat(m.getData()[0]).isEqualTo((byte) i);
            }
        }
    }

    @Test
    void aConsumerWithALittleRoomGetsEverything() throws Exception {
        try (Producer<byte[]> producer = producer();
                Consumer<byte[]> consumer = consumer(SubscriptionType.Exclusive)) {
            for (int i = 0; i < 120; i++) {
                producer.sendAsync(large(i));
            }
            producer.flush();
            for (int i = 0; i < 120; i++) {
                assertThat(consumer.receive(30, TimeUnit.SECONDS).getData()[0]).isEqualTo((byte) i);
            }
        }
    }

    @Test
    void aConsumerThatAcknowledgesNothingGetsNoMore() throws Exception {
        try (Producer<byte[]> producer = producer();
                Consumer<byte[]> consumer = consumer(SubscriptionType.Shared)) {
            for (int i = 0; i < 30; i++) {
                producer.send(new byte[] {(byte) i});
            }
            List<Message<byte[]>> got = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                got.add(consumer.receive(30, TimeUnit.SECONDS));
            }
            assertThat(consumer.receive(300, TimeUnit.MILLISECONDS)).isNull();
            for (Message<byte[]> m : got) {
                consumer.acknowledge(m);
            }
            // with the client's grouping of acknowledgements it may be at its bound again, holding more than half of it
            for (int i = 10; i < 16; i++) {
                assertThat(receive(consumer, 1).getFirst().getData()[0]).isEqualTo((byte) i);
            }
        }
    }

    /** As in Pulsar: one that has acknowledged less than half would be sent message by message. */
    @Test
    void aConsumerThatHoldsTooManyGetsMoreWhenHalfAreAcknowledged() throws Exception {
        try (Producer<byte[]> producer = producer();
                Consumer<byte[]> consumer = consumer(SubscriptionType.Shared);
                TestAdmin admin = new TestAdmin(gateway)) {
            for (int i = 0; i < 30; i++) {
                producer.send(new byte[] {(byte) i});
            }
            List<Message<byte[]>> got = receive(consumer, 10);
            assertThat(subscription(admin).getConsumers().getFirst().isBlockedConsumerOnUnackedMsgs())
                    .isTrue();
            assertThat(subscription(admin).isBlockedSubscriptionOnUnackedMsgs()).isFalse();
            for (Message<byte[]> m : got.subList(0, 4)) {
                consumer.acknowledge(m);
            }
            assertThat(consumer.receive(300, TimeUnit.MILLISECONDS)).isNull();
            consumer.acknowledge(got.get(4));
            receive(consumer, 5);
            assertThat(consumer.receive(300, TimeUnit.MILLISECONDS)).isNull();
        }
    }

    @Test
    void consumersThatHoldTooManyTogetherGetMoreWhenHalfAreAcknowledged() throws Exception {
        try (Producer<byte[]> producer = producer();
                Consumer<byte[]> first = consumer(SubscriptionType.Shared);
                Consumer<byte[]> second = consumer(SubscriptionType.Shared);
                TestAdmin admin = new TestAdmin(gateway)) {
            for (int i = 0; i < 40; i++) {
                producer.send(new byte[] {(byte) i});
            }
            await().until(() -> subscription(admin).isBlockedSubscriptionOnUnackedMsgs());
            assertThat(subscription(admin).getUnackedMessages()).isEqualTo(15);
            List<Message<byte[]>> got = receive(first, 7);
            for (Message<byte[]> m : got) {
                first.acknowledge(m);
            }
            await().until(() -> subscription(admin).getUnackedMessages() == 8);
            assertThat(subscription(admin).isBlockedSubscriptionOnUnackedMsgs()).isTrue();
            second.acknowledge(receive(second, 1).getFirst());
            await().until(() -> subscription(admin).getUnackedMessages() == 15);
            assertThat(subscription(admin).isBlockedSubscriptionOnUnackedMsgs()).isTrue();
            // what a consumer that leaves has held is not held any more
            first.close();
            second.close();
            try (Consumer<byte[]> third = consumer(SubscriptionType.Shared)) {
                receive(third, 10);
            }
        }
    }

    private static List<Message<byte[]>> receive(Consumer<byte[]> consumer, int messages) throws PulsarClientException {
        List<Message<byte[]>> got = new ArrayList<>();
        for (int i = 0; i < messages; i++) {
            Message<byte[]> message = consumer.receive(30, TimeUnit.SECONDS);
            assertThat(message).as("message %d of %d", i, messages).isNotNull();
            got.add(message);
        }
        return got;
    }

    private static SubscriptionStats subscription(TestAdmin admin) throws PulsarAdminException {
        return Objects.requireNonNull(
                admin.client().topics().getStats("t").getSubscriptions().get("s"));
    }

    @Test
    void aMessageOverTheLimitIsRefusedByTheClientBecauseItWasTold() throws Exception {
        try (Producer<byte[]> producer = producer()) {
            assertThatThrownBy(() -> producer.send(new byte[40_000]))
                    .isInstanceOf(PulsarClientException.InvalidMessageException.class);
            producer.send(large(1));
        }
    }

    @Test
    void aPortInUseIsOneLine() {
        PulsarGateway second = new PulsarGateway(
                PulsarGatewayConfig.defaults("127.0.0.1", gateway.port(), "second"),
                new Backend(
                        gateway.broker().catalogue(),
                        gateway.broker().partitions(),
                        gateway.broker().metadata(),
                        (name, task) -> Thread.ofVirtual().start(task),
                        Authorizer.ALLOW_ALL,
                        new SingleNode("test", 1),
                        gateway.broker().scalableTopics(),
                        TestGateway.views(gateway.broker()),
                        gateway.transactions().singles()),
                new SimpleMeterRegistry());
        assertThatThrownBy(second::start)
                .isInstanceOf(PulsarGatewayException.class)
                .hasMessageContaining(":" + gateway.port())
                .hasMessageNotContaining("\n");
        second.close();
    }

    @Test
    void closesQuicklyWithClientsConnected() throws Exception {
        try (Producer<byte[]> producer = producer()) {
            producer.send(large(1));
            long before = System.nanoTime();
            gateway.gateway().close();
            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(15));
            gateway.restart();
            producer.send(large(2));
        }
    }
}
