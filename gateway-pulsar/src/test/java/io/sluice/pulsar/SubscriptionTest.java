package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerEventListener;
import org.apache.pulsar.client.api.KeySharedPolicy;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Range;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.common.util.Murmur3_32Hash;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SubscriptionTest extends ClientTest {
    @Test
    void exclusiveRefusesASecondConsumer() throws Exception {
        try (Consumer<byte[]> first = subscribe("t").subscribe()) {
            assertThat(first.isConnected()).isTrue();
            assertThatThrownBy(() -> subscribe("t").subscribe())
                    .isInstanceOf(PulsarClientException.ConsumerBusyException.class);
            assertThatThrownBy(() -> subscribe("t")
                            .subscriptionType(SubscriptionType.Shared)
                            .subscribe())
                    .isInstanceOf(PulsarClientException.ConsumerBusyException.class);
        }
    }

    @Test
    void resumesAfterCumulativeAcknowledgementInsideABatch() throws Exception {
        try (Producer<byte[]> producer = batching("t", 10)) {
            sendBatch(producer, 0, 30);
        }
        try (Consumer<byte[]> consumer =
                subscribe("t").enableBatchIndexAcknowledgment(true).subscribe()) {
            List<Message<byte[]>> got = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                got.add(next(consumer));
            }
            consumer.acknowledgeCumulative(got.get(14));
            consumer.acknowledge(got.get(16));
        }
        try (Consumer<byte[]> again =
                subscribe("t").enableBatchIndexAcknowledgment(true).subscribe()) {
            expect(again, 15, 17, 18, 19, 20);
        }
    }

    @Test
    void failoverMovesToTheNextConsumer() throws Exception {
        AtomicReference<String> active = new AtomicReference<>("");
        ConsumerEventListener listener = new ConsumerEventListener() {
            @Override
            public void becameActive(Consumer<?> consumer, int partitionId) {
                active.set(consumer.getConsumerName());
            }

            @Override
            public void becameInactive(Consumer<?> consumer, int partitionId) {}
        };
        Consumer<byte[]> a = subscribe("t")
                .subscriptionType(SubscriptionType.Failover)
                .consumerName("a")
                .consumerEventListener(listener)
                .subscribe();
        try (Consumer<byte[]> b = subscribe("t")
                        .subscriptionType(SubscriptionType.Failover)
                        .consumerName("b")
                        .consumerEventListener(listener)
                        .subscribe();
                Producer<byte[]> producer = single("t")) {
            for (int i = 0; i < 10; i++) {
                send(producer, i);
            }
            await().untilAsserted(() -> assertThat(active.get()).isEqualTo("a"));
            for (int i = 0; i < 5; i++) {
                a.acknowledge(next(a));
            }
            expectNothing(b);
            a.close();
            await().untilAsserted(() -> assertThat(active.get()).isEqualTo("b"));
            expect(b, 5, 6, 7, 8, 9);
        }
    }

    @Test
    void sharedDealsOutAndRedeliversWhatALostConsumerHeld() throws Exception {
        Consumer<byte[]> a =
                subscribe("t").subscriptionType(SubscriptionType.Shared).subscribe();
        try (Consumer<byte[]> b =
                        subscribe("t").subscriptionType(SubscriptionType.Shared).subscribe();
                Producer<byte[]> producer = single("t")) {
            for (int i = 0; i < 20; i++) {
                send(producer, i);
            }
            Set<Integer> seen = new HashSet<>();
            for (int i = 0; i < 10; i++) {
                Message<byte[]> m = next(b);
                seen.add(value(m));
                b.acknowledge(m);
            }
            assertThat(next(a)).isNotNull();
            a.close();
            for (int i = 0; i < 10; i++) {
                Message<byte[]> m = next(b);
                assertThat(m.getRedeliveryCount()).isEqualTo(1);
                seen.add(value(m));
                b.acknowledge(m);
            }
            assertThat(seen).hasSize(20);
            expectNothing(b);
        }
    }

    @Test
    void negativeAcknowledgementsComeBackWithACount() throws Exception {
        try (Consumer<byte[]> consumer = subscribe("t")
                        .subscriptionType(SubscriptionType.Shared)
                        .negativeAckRedeliveryDelay(50, TimeUnit.MILLISECONDS)
                        .subscribe();
                Producer<byte[]> producer = single("t")) {
            send(producer, 1);
            send(producer, 2);
            Message<byte[]> one = next(consumer);
            consumer.acknowledge(next(consumer));
            consumer.negativeAcknowledge(one);
            Message<byte[]> again = next(consumer);
            assertThat(value(again)).isEqualTo(1);
            assertThat(again.getRedeliveryCount()).isEqualTo(1);
            consumer.acknowledge(again);
            expectNothing(consumer);
        }
    }

    @Test
    void exclusiveRedeliversInOrder() throws Exception {
        try (Consumer<byte[]> consumer = subscribe("t")
                        .acknowledgmentGroupTime(0, TimeUnit.MILLISECONDS)
                        .subscribe();
                Producer<byte[]> producer = single("t")) {
            for (int i = 0; i < 5; i++) {
                send(producer, i);
            }
            consumer.acknowledge(next(consumer));
            expect(consumer, 1, 2, 3, 4);
            consumer.redeliverUnacknowledgedMessages();
            expect(consumer, 1, 2, 3, 4);
        }
    }

    @Test
    void aBatchComesBackWithoutWhatWasAcknowledged() throws Exception {
        try (Producer<byte[]> producer = batching("t", 6)) {
            sendBatch(producer, 0, 6);
        }
        Consumer<byte[]> a = subscribe("t")
                .subscriptionType(SubscriptionType.Shared)
                .enableBatchIndexAcknowledgment(true)
                .subscribe();
        List<Message<byte[]>> got = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            got.add(next(a));
        }
        for (int i : new int[] {0, 2, 5}) {
            a.acknowledge(got.get(i));
        }
        a.close();
        try (Consumer<byte[]> b = subscribe("t")
                .subscriptionType(SubscriptionType.Shared)
                .enableBatchIndexAcknowledgment(true)
                .subscribe()) {
            expect(b, 1, 3, 4);
            expectNothing(b);
        }
    }

    @Test
    void keySharedKeepsTheOrderOfEachKeyWhileConsumersComeAndGo() throws Exception {
        List<String> log = new CopyOnWriteArrayList<>();
        List<Consumer<byte[]>> consumers = new ArrayList<>();
        int keys = 20;
        int each = 60;
        try (Producer<byte[]> producer = single("t")) {
            consumers.add(keyShared("one", log));
            for (int i = 0; i < keys * each; i++) {
                producer.newMessage().key("k" + i % keys).value(bytes(i / keys)).sendAsync();
                if (i == keys * each / 4) {
                    producer.flush();
                    consumers.add(keyShared("two", log));
                }
                if (i == keys * each / 2) {
                    producer.flush();
                    consumers.add(keyShared("three", log));
                    consumers.get(0).close();
                }
            }
            producer.flush();
            await().until(() -> new HashSet<>(log).size() == keys * each);
        }
        Map<String, Integer> lastOfKey = new HashMap<>();
        for (String line : log) {
            String[] keyAndValue = line.split("=");
            int value = Integer.parseInt(keyAndValue[1]);
            // a message may come again when its consumer closes before its acknowledgement arrives, never out of turn
            assertThat(value).isLessThanOrEqualTo(lastOfKey.getOrDefault(keyAndValue[0], -1) + 1);
            lastOfKey.merge(keyAndValue[0], value, Math::max);
        }
        for (Consumer<byte[]> c : consumers) {
            c.close();
        }
    }

    private Consumer<byte[]> keyShared(String name, List<String> log) throws PulsarClientException {
        return subscribe("t")
                .subscriptionType(SubscriptionType.Key_Shared)
                .consumerName(name)
                .receiverQueueSize(20)
                .messageListener((c, m) -> {
                    log.add(m.getKey() + "=" + value(m));
                    c.acknowledgeAsync(m);
                })
                .subscribe();
    }

    @Test
    void stickyConsumersGetTheirRangesOnly() throws Exception {
        try (Consumer<byte[]> low = subscribe("t")
                        .subscriptionType(SubscriptionType.Key_Shared)
                        .keySharedPolicy(KeySharedPolicy.stickyHashRange().ranges(Range.of(0, 32767)))
                        .subscribe();
                Consumer<byte[]> high = subscribe("t")
                        .subscriptionType(SubscriptionType.Key_Shared)
                        .keySharedPolicy(KeySharedPolicy.stickyHashRange().ranges(Range.of(32768, 65535)))
                        .subscribe();
                Producer<byte[]> producer = single("t")) {
            assertThatThrownBy(() -> subscribe("t")
                            .subscriptionType(SubscriptionType.Key_Shared)
                            .keySharedPolicy(KeySharedPolicy.stickyHashRange().ranges(Range.of(100, 200)))
                            .subscribe())
                    .isInstanceOf(PulsarClientException.ConsumerAssignException.class);
            for (int i = 0; i < 100; i++) {
                producer.newMessage().key("k" + i).value(bytes(i)).send();
            }
            Set<Integer> seen = new HashSet<>();
            await().until(() -> {
                for (Consumer<byte[]> c : List.of(low, high)) {
                    for (Message<byte[]> m = receiveNow(c); m != null; m = receiveNow(c)) {
                        // as an application works it out that chooses ranges by keys
                        int hash = Murmur3_32Hash.getInstance().makeHash(m.getKeyBytes()) % 65_536;
                        assertThat(hash <= 32767).isEqualTo(c == low);
                        seen.add(value(m));
                    }
                }
                return seen.size() == 100;
            });
        }
    }

    private static @Nullable Message<byte[]> receiveNow(Consumer<byte[]> consumer) throws PulsarClientException {
        return consumer.receive(10, TimeUnit.MILLISECONDS);
    }

    @Test
    void seeksByIdAndByTime() throws Exception {
        List<MessageId> ids;
        try (Producer<byte[]> producer = batching("t", 5)) {
            ids = sendBatch(producer, 0, 20);
        }
        try (Consumer<byte[]> consumer = subscribe("t").subscribe()) {
            expect(consumer, 0, 1, 2);
            consumer.seek(ids.get(12));
            expect(consumer, 13, 14, 15);
            consumer.seek(MessageId.earliest);
            expect(consumer, 0, 1);
            consumer.seek(MessageId.latest);
            expectNothing(consumer);
            consumer.seek(System.currentTimeMillis() - TimeUnit.HOURS.toMillis(1));
            expect(consumer, 0, 1);
            consumer.seek(System.currentTimeMillis() + TimeUnit.HOURS.toMillis(1));
            expectNothing(consumer);
        }
        try (Consumer<byte[]> inclusive = subscribe("t")
                .startMessageIdInclusive()
                .subscriptionName("inclusive")
                .subscribe()) {
            inclusive.seek(ids.get(12));
            expect(inclusive, 12, 13);
        }
    }

    @Test
    void unsubscribeForgetsThePosition() throws Exception {
        try (Producer<byte[]> producer = single("t")) {
            send(producer, 1);
            Consumer<byte[]> consumer = subscribe("t").subscribe();
            consumer.acknowledge(next(consumer));
            consumer.unsubscribe();
            try (Consumer<byte[]> fresh = subscribe("t").subscribe()) {
                expect(fresh, 1);
            }
        }
    }

    @Test
    void acknowledgementReceiptsMeanDurable() throws Exception {
        try (Producer<byte[]> producer = single("t")) {
            for (int i = 0; i < 3; i++) {
                send(producer, i);
            }
        }
        try (Consumer<byte[]> consumer =
                subscribe("t").isAckReceiptEnabled(true).subscribe()) {
            consumer.acknowledge(next(consumer));
            consumer.acknowledge(next(consumer));
        }
        gateway.restart();
        try (Consumer<byte[]> consumer = subscribe("t").subscribe()) {
            expect(consumer, 2);
        }
    }

    @Test
    void patternSubscriptionsFindTopics() throws Exception {
        gateway.broker().createTopic("pat-b", 2);
        try (Producer<byte[]> a = single("pat-a");
                Producer<byte[]> b = client.newProducer().topic("pat-b").create();
                Producer<byte[]> other = single("other");
                Consumer<byte[]> consumer = client.newConsumer()
                        .topicsPattern("persistent://public/default/pat-.*")
                        .subscriptionName("s")
                        .subscribe()) {
            send(other, 0);
            send(a, 1);
            send(b, 2);
            Set<Integer> seen = Set.of(value(next(consumer)), value(next(consumer)));
            assertThat(seen).containsExactlyInAnyOrder(1, 2);
        }
    }
}
