package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.topic.TopicName;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.BatchReceivePolicy;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Messages;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.SubscriptionType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Consumers that acknowledge every second message. */
@Timeout(120)
class ManyGapsTest extends ClientTest {
    private static final int MESSAGES = 80_000;
    /**
     * A consumer that comes to hold 50,000 that are not acknowledged gets no more until half are. It holds fewer with half of these and what
     * is on its way, and not with those whose acknowledgements are lost, too.
     */
    private static final int MANY = 55_000;

    private static final int BATCH = 1_000;

    private Consumer<byte[]> consumer(SubscriptionType type, boolean receipts) throws Exception {
        return subscribe("t")
                .subscriptionType(type)
                .enableBatchIndexAcknowledgment(true)
                .isAckReceiptEnabled(receipts)
                .receiverQueueSize(20_000)
                .batchReceivePolicy(BatchReceivePolicy.builder()
                        .maxNumMessages(BATCH)
                        .maxNumBytes(-1)
                        .timeout(1, TimeUnit.SECONDS)
                        .build())
                .subscribe();
    }

    private void publish(int messages) throws Exception {
        try (Producer<byte[]> producer = client.newProducer()
                .topic("t")
                .batchingMaxMessages(BATCH)
                .batchingMaxBytes(1 << 20)
                .batchingMaxPublishDelay(1, TimeUnit.SECONDS)
                .blockIfQueueFull(true)
                .create()) {
            for (int i = 0; i < messages; i++) {
                producer.sendAsync(bytes(i));
            }
            producer.flush();
        }
    }

    /** Everything there is; acknowledges what is even. */
    private static BitSet receiveAndAcknowledgeEven(Consumer<byte[]> consumer, int expected) throws Exception {
        BitSet got = new BitSet();
        List<CompletableFuture<Void>> acks = new ArrayList<>();
        while (got.cardinality() < expected) {
            Messages<byte[]> some = consumer.batchReceive();
            assertThat(some.size()).as("messages after %s", got.cardinality()).isPositive();
            List<MessageId> even = new ArrayList<>();
            for (Message<byte[]> m : some) {
                got.set(value(m));
                if (value(m) % 2 == 0) {
                    even.add(m.getMessageId());
                }
            }
            acks.add(consumer.acknowledgeAsync(even));
        }
        for (CompletableFuture<Void> ack : acks) {
            ack.get(SOON, TimeUnit.SECONDS);
        }
        return got;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void exactlyWhatIsNotAcknowledgedComesAgainAfterARestart(boolean receipts) throws Exception {
        publish(MESSAGES);
        try (Consumer<byte[]> consumer = consumer(SubscriptionType.Exclusive, receipts)) {
            receiveAndAcknowledgeEven(consumer, MESSAGES);
        }
        PartitionLog log = gateway.broker().partition(TopicName.ofDefault("t"), 0);
        await().untilAsserted(() -> assertThat(acked(log)).isEqualTo(MESSAGES / 2));
        gateway.broker().onLoop(log, () -> {
            gateway.broker().containers().get(log.container().id()).checkpoint();
            return true;
        });
        gateway.restart();
        PartitionLog again = gateway.broker().partition(TopicName.ofDefault("t"), 0);
        assertThat(acked(again)).isEqualTo(MESSAGES / 2);
        try (Consumer<byte[]> consumer = consumer(SubscriptionType.Exclusive, receipts)) {
            BitSet got = receiveAndAcknowledgeEven(consumer, MESSAGES / 2);
            assertThat(got.cardinality()).isEqualTo(MESSAGES / 2);
            assertThat(got.stream().filter(i -> i % 2 == 0).findAny()).isEmpty();
            expectNothing(consumer);
        }
    }

    private long acked(PartitionLog log) {
        return gateway.broker().<Long>onLoop(log, () -> {
            Cursor cursor = Objects.requireNonNull(log.subscriptions().find("s"));
            return cursor.ackedBelow() + cursor.ackedAbove();
        });
    }

    /** It may hold 50,000 unacknowledged messages; an acknowledgement that went nowhere would be one of them. */
    @Test
    void aSharedConsumerThatLeavesGapsIsNotBlocked() throws Exception {
        publish(MANY);
        try (Consumer<byte[]> consumer = consumer(SubscriptionType.Shared, false)) {
            BitSet got = receiveAndAcknowledgeEven(consumer, MANY);
            assertThat(got.cardinality()).isEqualTo(MANY);
        }
    }
}
