package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
}
