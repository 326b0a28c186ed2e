package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.broker.TestEntries;
import io.sluice.broker.log.AppendRejection;
import io.sluice.broker.log.AppendReply;
import io.sluice.broker.log.PartitionLog;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.SubscriptionType;
import org.junit.jupiter.api.Test;

/** What the store does underneath: other formats, lost containers, reads that miss the cache. */
class StoreTest extends ClientTest {
    private PartitionLog log(String topic) {
        return gateway.broker().partition(topic, 0);
    }

    private void appendKafka(PartitionLog log) throws Exception {
        CompletableFuture<Long> appended = new CompletableFuture<>();
        gateway.broker().onLoop(log, () -> {
            log.append(TestEntries.plain(3, 100, System.currentTimeMillis()), new AppendReply() {
                @Override
                public void appended(long baseOffset, long lastOffset) {
                    appended.complete(baseOffset);
                }

                @Override
                public void duplicate(long baseOffset, long lastOffset) {
                    appended.complete(baseOffset);
                }

                @Override
                public void rejected(AppendRejection why) {
                    appended.completeExceptionally(new IllegalStateException(why.message()));
                }

                @Override
                public void failed(StoreFailure why) {
                    appended.completeExceptionally(new IllegalStateException(why.message()));
                }
            });
            return true;
        });
        appended.get(SOON, TimeUnit.SECONDS);
    }

    @Test
    void aKafkaBatchThatDoesNotReadIsAMessageThatSaysSo() throws Exception {
        try (Producer<byte[]> producer = single("t")) {
            send(producer, 1);
            appendKafka(log("t"));
            send(producer, 2);
            for (SubscriptionType type : SubscriptionType.values()) {
                try (Consumer<byte[]> consumer = subscribe("t")
                        .subscriptionName("from-start-" + type)
                        .subscriptionType(type)
                        .subscribe()) {
                    expect(consumer, 1);
                    assertThat(next(consumer).getProperties()).containsKey("kafka.unreadable");
                    expect(consumer, 2);
                }
            }
        }
    }

    @Test
    void clientsComeBackWhenAContainerChangesHands() throws Exception {
        try (Producer<byte[]> producer = single("t");
                // Without a receipt an acknowledgement may still be on its way when its container stops.
                Consumer<byte[]> consumer =
                        subscribe("t").isAckReceiptEnabled(true).subscribe()) {
            send(producer, 1);
            consumer.acknowledge(next(consumer));
            var containers = gateway.broker().containers();
            int id = log("t").container().id();
            for (int i = 2; i < 6; i++) {
                containers.stop(id);
                CompletableFuture<?> sent = producer.sendAsync(bytes(i));
                assertThat(sent).isNotDone();
                containers.start(id);
                sent.get(SOON, TimeUnit.SECONDS);
                var m = next(consumer);
                assertThat(value(m)).isEqualTo(i);
                consumer.acknowledge(m);
            }
        }
    }

    @Test
    void readsWhatIsNoLongerCached() throws Exception {
        int n = 50;
        try (Producer<byte[]> producer = single("t")) {
            for (int i = 0; i < n; i++) {
                send(producer, i);
            }
        }
        PartitionLog log = log("t");
        var container = gateway.broker().containers().get(log.container().id());
        gateway.broker().onLoop(log, () -> {
            container.evict(log.partitionId(), log.sizeBytes() - 1);
            return true;
        });
        for (SubscriptionType type : SubscriptionType.values()) {
            try (Consumer<byte[]> consumer = subscribe("t")
                    .subscriptionName(type.name())
                    .subscriptionType(type)
                    // what the client still held back when it asks for the rest would come again
                    .acknowledgmentGroupTime(0, TimeUnit.MILLISECONDS)
                    .subscribe()) {
                for (int i = 0; i < n; i++) {
                    var m = next(consumer);
                    assertThat(value(m)).isEqualTo(i);
                    if (i % 2 == 0) {
                        consumer.acknowledge(m);
                    }
                }
                consumer.redeliverUnacknowledgedMessages();
                for (int i = 1; i < n; i += 2) {
                    assertThat(value(next(consumer))).isEqualTo(i);
                }
            }
        }
    }

    @Test
    void retentionMovesSubscriptionsForward() throws Exception {
        try (Producer<byte[]> producer = single("t")) {
            for (int i = 0; i < 10; i++) {
                send(producer, i);
            }
            subscribe("t").subscribe().close();
            PartitionLog log = log("t");
            gateway.broker().onLoop(log, () -> {
                log.retention().deleteBefore(6, Durable.IGNORED);
                return true;
            });
            await().until(() -> gateway.broker().onLoop(log, log::startOffset) == 6);
            try (Consumer<byte[]> consumer = subscribe("t").subscribe()) {
                expect(consumer, 6, 7, 8, 9);
            }
        }
    }

    @Test
    void givesBackEveryBufferItBorrows() throws Exception {
        try (Producer<byte[]> producer = client.newProducer().topic("t").create();
                Consumer<byte[]> a =
                        subscribe("t").subscriptionType(SubscriptionType.Shared).subscribe();
                Consumer<byte[]> b =
                        subscribe("t").subscriptionType(SubscriptionType.Shared).subscribe()) {
            for (int i = 0; i < 500; i++) {
                producer.sendAsync(new byte[3000]);
            }
            producer.flush();
            for (int i = 0; i < 500; i++) {
                for (Consumer<byte[]> c : Set.of(a, b)) {
                    var m = c.receive(20, TimeUnit.MILLISECONDS);
                    if (m != null) {
                        c.acknowledge(m);
                    }
                }
            }
        }
        await().until(() -> gateway.broker().containers().lentBuffers() == 0);
    }
}
