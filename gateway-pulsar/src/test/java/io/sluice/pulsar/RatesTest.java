package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.broker.quota.QuotaEntity;
import io.sluice.broker.quota.QuotaKey;
import io.sluice.broker.quota.QuotaName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException.NotAllowedException;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.common.policies.data.DispatchRate;
import org.apache.pulsar.common.policies.data.PublishRate;
import org.apache.pulsar.common.policies.data.SubscribeRate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rates of namespaces and topics, for stock clients. Only what is too fast fails a test. */
class RatesTest extends ClientTest {
    private static final String NAMESPACE = "public/default";
    private static final String T = "persistent://public/default/t";

    private TestAdmin server;
    private PulsarAdmin admin;

    @BeforeEach
    void startAdmin() throws Exception {
        server = new TestAdmin(gateway);
        admin = server.client();
        admin.topics().createNonPartitionedTopic(T);
    }

    @AfterEach
    void stopAdmin() throws Exception {
        server.close();
    }

    private static DispatchRate dispatch(int messages) {
        return DispatchRate.builder()
                .dispatchThrottlingRateInMsg(messages)
                .ratePeriodInSecond(1)
                .build();
    }

    private static long millisSince(long nanos) {
        return Duration.ofNanos(System.nanoTime() - nanos).toMillis();
    }

    private static void send(Producer<byte[]> producer, int from, int to) throws Exception {
        List<CompletableFuture<MessageId>> sent = new ArrayList<>();
        for (int i = from; i < to; i++) {
            sent.add(producer.sendAsync(bytes(i)));
        }
        CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)).get(SOON, TimeUnit.SECONDS);
    }

    /** Set while the producer is open; one on another connection goes on as before. */
    @Test
    void aProducerIsAsFastAsItMay() throws Exception {
        try (Producer<byte[]> limited = single(T);
                PulsarClient other = gateway.client();
                Producer<byte[]> free = other.newProducer().topic("free").create()) {
            send(limited, 0, 10);
            admin.namespaces().setPublishRate(NAMESPACE, new PublishRate(1_000_000, -1));
            admin.topicPolicies().setPublishRate(T, new PublishRate(50, -1));
            await().until(() -> {
                long began = System.nanoTime();
                send(limited, 0, 60);
                send(limited, 0, 1);
                return millisSince(began) > 150;
            });
            long began = System.nanoTime();
            CompletableFuture<Void> all = CompletableFuture.runAsync(() -> {
                try {
                    for (int i = 0; i < 4; i++) {
                        send(limited, 0, 50);
                    }
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            free.send(bytes(1));
            assertThat(all).isNotDone();
            all.get(SOON, TimeUnit.SECONDS);
            assertThat(millisSince(began)).isGreaterThan(1_000);
        }
    }

    /** One that would wait for a minute does not when its rate is taken away. */
    @Test
    void aProducerThatWaitsHearsOfAnotherRate() throws Exception {
        admin.topicPolicies().setPublishRate(T, new PublishRate(1, -1));
        // in one batch, which is let in whole: of single messages the later ones might wait themselves
        try (Producer<byte[]> batches = batching(T, 60);
                Producer<byte[]> producer = single(T)) {
            send(batches, 0, 60);
            long began = System.nanoTime();
            CompletableFuture<MessageId> waiting = producer.sendAsync(bytes(1));
            assertThatThrownBy(() -> waiting.get(1, TimeUnit.SECONDS)).isInstanceOf(TimeoutException.class);
            admin.topicPolicies().removePublishRate(T);
            waiting.get(SOON, TimeUnit.SECONDS);
            assertThat(millisSince(began)).isLessThan(30_000);
        }
    }

    /** One subscription has a rate of its own, the other none. */
    @Test
    void oneSubscriptionOfATopicGetsAsMuchAsItMay() throws Exception {
        String path = "/admin/v2/persistent/public/default/t/s/dispatchRate";
        String rate = "{\"dispatchThrottlingRateInMsg\": 20, \"ratePeriodInSecond\": 1}";
        assertThat(server.ask("POST", path, rate).statusCode()).isEqualTo(204);
        try (Producer<byte[]> producer = single(T)) {
            send(producer, 0, 60);
            long began = System.nanoTime();
            try (Consumer<byte[]> limited = subscribe(T).subscribe();
                    Consumer<byte[]> free =
                            subscribe(T).subscriptionName("free").subscribe()) {
                for (int i = 0; i < 60; i++) {
                    expect(free, i);
                }
                for (int i = 0; i < 60; i++) {
                    expect(limited, i);
                }
                assertThat(millisSince(began)).isGreaterThan(1_500);
                assertThat(server.ask("DELETE", path, "").statusCode()).isEqualTo(204);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(SubscriptionType.class)
    void consumersOfATopicGetAsMuchAsTheyMay(SubscriptionType type) throws Exception {
        admin.topicPolicies().setDispatchRate(T, dispatch(20));
        try (Producer<byte[]> producer = single(T)) {
            send(producer, 0, 60);
            long began = System.nanoTime();
            try (Consumer<byte[]> consumer = subscribe(T).subscriptionType(type).subscribe()) {
                for (int i = 0; i < 60; i++) {
                    expect(consumer, i);
                }
                assertThat(millisSince(began)).isGreaterThan(1_500);
                admin.topicPolicies().removeDispatchRate(T);
                long free = System.nanoTime();
                send(producer, 60, 360);
                for (int i = 60; i < 360; i++) {
                    expect(consumer, i);
                }
                assertThat(millisSince(free)).isLessThan(300 / 20 * 1_000L);
            }
        }
    }

    @Test
    void subscriptionsHaveARateOfTheirOwn() throws Exception {
        try (Producer<byte[]> producer = single(T);
                Consumer<byte[]> consumer = subscribe(T).subscribe();
                Consumer<byte[]> other = subscribe(T).subscriptionName("other").subscribe()) {
            admin.namespaces().setSubscriptionDispatchRate(NAMESPACE, dispatch(20));
            await().until(() -> {
                long began = System.nanoTime();
                send(producer, 0, 50);
                for (Consumer<byte[]> each : List.of(consumer, other)) {
                    for (int i = 0; i < 50; i++) {
                        expect(each, i);
                    }
                }
                return millisSince(began) > 1_000;
            });
        }
    }

    @Test
    void aConsumerSubscribesAsOftenAsItMay() throws Exception {
        admin.topicPolicies().setSubscribeRate(T, new SubscribeRate(1, 600));
        await().until(() -> {
            try (PulsarClient again = gateway.client()) {
                again.newConsumer()
                        .topic(T)
                        .subscriptionName("s")
                        .consumerName("c")
                        .subscribe()
                        .close();
                return false;
            } catch (NotAllowedException e) {
                return String.valueOf(e.getMessage()).contains("rate limit");
            }
        });
        subscribe(T).consumerName("another").subscribe().close();
        admin.topicPolicies().removeSubscribeRate(T);
        await().until(() -> {
            try (PulsarClient again = gateway.client()) {
                again.newConsumer()
                        .topic(T)
                        .subscriptionName("s")
                        .consumerName("c")
                        .subscribe()
                        .close();
                return true;
            } catch (NotAllowedException e) {
                return false;
            }
        });
    }

    @Test
    void whatIsSetIsShown() throws Exception {
        assertThat(admin.topicPolicies().getPublishRate(T)).isNull();
        assertThat(admin.namespaces().getDispatchRate(NAMESPACE)).isNull();
        admin.namespaces().setDispatchRate(NAMESPACE, dispatch(5));
        admin.topicPolicies().setPublishRate(T, new PublishRate(7, 9));
        assertThat(admin.topicPolicies().getPublishRate(T)).isEqualTo(new PublishRate(7, 9));
        assertThat(admin.topicPolicies().getDispatchRate(T)).isNull();
        assertThat(admin.topicPolicies().getDispatchRate(T, true)).isEqualTo(dispatch(5));
        assertThat(admin.namespaces().getPolicies(NAMESPACE).topicDispatchRate)
                .containsValue((org.apache.pulsar.common.policies.data.impl.DispatchRateImpl) dispatch(5));
        admin.namespaces().removeDispatchRate(NAMESPACE);
        admin.topicPolicies().removePublishRate(T);
        assertThat(admin.namespaces().getDispatchRate(NAMESPACE)).isNull();
        assertThat(admin.topicPolicies().getPublishRate(T)).isNull();
    }

    private static final int QUOTA = 100_000;
    private static final byte[] LARGE = new byte[5_000];

    private void quota(QuotaKey key, long perSecond) throws Exception {
        gateway.quotas().change(new QuotaEntity(new QuotaName("ANONYMOUS"), null), Map.of(key, perSecond));
    }

    private void noQuota(QuotaKey key) throws Exception {
        Map<QuotaKey, @Nullable Long> gone = new EnumMap<>(QuotaKey.class);
        gone.put(key, null);
        gateway.quotas().change(new QuotaEntity(new QuotaName("ANONYMOUS"), null), gone);
    }

    private static void sendLarge(Producer<byte[]> producer, int count) throws Exception {
        List<CompletableFuture<MessageId>> sent = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            sent.add(producer.sendAsync(LARGE));
        }
        CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)).get(SOON, TimeUnit.SECONDS);
    }

    /**
     * A second's worth goes at once, and each of two connections may have ten messages under way when the quota is reached, which are taken
     * whole. A slow machine makes it less.
     */
    private static void assertKeptTo(int messages, long began) {
        double atOnce = QUOTA + 2 * 10 * LARGE.length;
        assertThat((messages * LARGE.length - atOnce) * 1_000.0 / millisSince(began))
                .as("bytes a second but for what goes at once, of which %d are allowed", QUOTA)
                .isLessThan(1.1 * QUOTA);
    }

    /** On all its connections together; client ids, which there are none of, do not count. */
    @Test
    void producersOfAUserAreAsFastAsItsQuota() throws Exception {
        gateway.quotas().change(new QuotaEntity(null, QuotaName.DEFAULT), Map.of(QuotaKey.PRODUCER_BYTE_RATE, 1L));
        try (Producer<byte[]> producer = single(T);
                PulsarClient second = gateway.client();
                Producer<byte[]> other = second.newProducer().topic("other").create()) {
            sendLarge(producer, 40);
            quota(QuotaKey.PRODUCER_BYTE_RATE, QUOTA);
            long began = System.nanoTime();
            for (int i = 0; i < 5; i++) {
                sendLarge(producer, 10);
                sendLarge(other, 10);
            }
            assertKeptTo(100, began);
        }
    }

    /** By commands of any kind; each pause is a second at most. */
    @Test
    void aUserIsKeptToItsShareOfTime() throws Exception {
        try (Producer<byte[]> producer = single(T)) {
            producer.send(bytes(1));
            quota(QuotaKey.REQUEST_PERCENTAGE, 1);
            long began = System.nanoTime();
            for (int i = 0; i < 3; i++) {
                producer.send(bytes(1));
            }
            assertThat(millisSince(began)).isBetween(1_800L, 30_000L);
            noQuota(QuotaKey.REQUEST_PERCENTAGE);
            producer.send(bytes(1));
        }
    }

    @Test
    void aProducerThatWaitsHearsOfAnotherQuota() throws Exception {
        quota(QuotaKey.PRODUCER_BYTE_RATE, 1);
        try (Producer<byte[]> producer = single(T)) {
            long began = System.nanoTime();
            producer.sendAsync(LARGE);
            CompletableFuture<MessageId> waiting = CompletableFuture.supplyAsync(() -> {
                try {
                    // a look-up, or what follows the first message on its connection
                    return client.newProducer().topic("more").create().send(bytes(1));
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            assertThatThrownBy(() -> waiting.get(1, TimeUnit.SECONDS)).isInstanceOf(TimeoutException.class);
            noQuota(QuotaKey.PRODUCER_BYTE_RATE);
            waiting.get(SOON, TimeUnit.SECONDS);
            assertThat(millisSince(began)).isLessThan(60_000);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = SubscriptionType.class,
            names = {"Exclusive", "Key_Shared"})
    void consumersOfAUserGetAsMuchAsItsQuota(SubscriptionType type) throws Exception {
        try (Producer<byte[]> producer = single(T)) {
            sendLarge(producer, 100);
            quota(QuotaKey.CONSUMER_BYTE_RATE, QUOTA);
            long began = System.nanoTime();
            try (Consumer<byte[]> consumer = subscribe(T).subscriptionType(type).subscribe()) {
                for (int i = 0; i < 100; i++) {
                    next(consumer);
                }
                assertKeptTo(100, began);
                noQuota(QuotaKey.CONSUMER_BYTE_RATE);
                sendLarge(producer, 400);
                long free = System.nanoTime();
                for (int i = 0; i < 400; i++) {
                    next(consumer);
                }
                assertThat(millisSince(free)).isLessThan(400 * LARGE.length / QUOTA * 1_000L);
            }
        }
    }
}
