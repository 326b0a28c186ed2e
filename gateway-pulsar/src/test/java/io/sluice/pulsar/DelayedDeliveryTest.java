package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.broker.topic.TopicName;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.client.api.transaction.Transaction;
import org.apache.pulsar.common.policies.data.DelayedDeliveryPolicies;
import org.apache.pulsar.common.policies.data.SubscriptionStats;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Messages that are to be delivered later. Their times are short, and only what comes too early is a failure. */
class DelayedDeliveryTest extends TransactionalClientTest {
    private static final String T = "persistent://public/default/t";

    /** Milliseconds. */
    private static final long DELAY = 1_500;

    /** Longer than a test takes. */
    private static final long LONG = TimeUnit.HOURS.toMillis(1);

    private ConsumerBuilder<byte[]> of(SubscriptionType type) {
        return subscribe("t").subscriptionType(type);
    }

    /** By its value, when a message is to come. */
    private final Map<Integer, Long> times = new HashMap<>();
    /** Those whose time had come, on a slow machine, before others were sent that are not delayed. */
    private final Deque<Message<byte[]>> early = new ArrayDeque<>();

    private long sendLater(Producer<byte[]> producer, int value, long millis) throws PulsarClientException {
        long from = System.currentTimeMillis();
        times.put(value, from + millis);
        producer.newMessage()
                .key("k")
                .value(bytes(value))
                .deliverAfter(millis, TimeUnit.MILLISECONDS)
                .send();
        return from + millis;
    }

    private void expectNotBefore(Consumer<byte[]> consumer, int value, long time) throws Exception {
        Message<byte[]> got = early.isEmpty() ? next(consumer) : early.remove();
        assertThat(value(got)).isEqualTo(value);
        assertThat(System.currentTimeMillis()).isGreaterThanOrEqualTo(time);
        consumer.acknowledge(got);
    }

    private void takeAll(Consumer<byte[]> consumer, int... values) throws Exception {
        for (int value : values) {
            Message<byte[]> got = next(consumer);
            while (value(got) != value
                    && System.currentTimeMillis() >= times.getOrDefault(value(got), Long.MAX_VALUE)) {
                early.add(got);
                got = next(consumer);
            }
            assertThat(value(got)).isEqualTo(value);
            consumer.acknowledge(got);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = SubscriptionType.class,
            names = {"Shared", "Key_Shared"})
    void comesWhenItsTimeHasComeBehindWhatIsNotDelayed(SubscriptionType type) throws Exception {
        try (Consumer<byte[]> consumer = of(type).subscribe();
                Producer<byte[]> producer = batching("t", 2)) {
            long second = sendLater(producer, 1, 2 * DELAY);
            long first = sendLater(producer, 2, DELAY);
            sendBatch(producer, 3, 7);
            takeAll(consumer, 3, 4, 5, 6);
            expectNotBefore(consumer, 2, first);
            expectNotBefore(consumer, 1, second);
            expectNothing(consumer);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = SubscriptionType.class,
            names = {"Exclusive", "Failover"})
    void comesAtOnceWhereOneConsumerGetsAllInOrder(SubscriptionType type) throws Exception {
        try (Consumer<byte[]> consumer = of(type).subscribe();
                Producer<byte[]> producer = single("t")) {
            sendLater(producer, 1, LONG);
            send(producer, 2);
            takeAll(consumer, 1, 2);
        }
    }

    @Test
    void aTimeThatHasPassedIsNoDelay() throws Exception {
        try (Consumer<byte[]> consumer = of(SubscriptionType.Shared).subscribe();
                Producer<byte[]> producer = single("t")) {
            producer.newMessage().value(bytes(1)).deliverAt(1).send();
            takeAll(consumer, 1);
        }
    }

    @Test
    void outlivesARestartAndAMoveOfThePartition() throws Exception {
        gateway.broker().createTopic(TopicName.ofDefault("t"), 1, false);
        long time;
        // what is not acknowledged before the restart comes again
        try (Consumer<byte[]> consumer =
                        of(SubscriptionType.Shared).isAckReceiptEnabled(true).subscribe();
                Producer<byte[]> producer = single("t")) {
            time = sendLater(producer, 1, 2 * DELAY);
            sendLater(producer, 2, LONG);
            send(producer, 3);
            takeAll(consumer, 3);
            gateway.restart();
            gateway.broker().catalogue().move(TopicName.ofDefault("t"), 0, 1).join();
            send(producer, 4);
            takeAll(consumer, 4);
            expectNotBefore(consumer, 1, time);
            expectNothing(consumer);
        }
        assertThat(System.currentTimeMillis()).isGreaterThanOrEqualTo(time);
    }

    @Test
    void isRedeliveredAtOnceWhenItsTimeHasCome() throws Exception {
        try (Producer<byte[]> producer = single("t");
                Consumer<byte[]> consumer = of(SubscriptionType.Shared)
                        .negativeAckRedeliveryDelay(1, TimeUnit.MILLISECONDS)
                        .subscribe()) {
            long time = sendLater(producer, 1, DELAY);
            sendLater(producer, 2, LONG);
            Message<byte[]> got = next(consumer);
            assertThat(System.currentTimeMillis()).isGreaterThanOrEqualTo(time);
            consumer.negativeAcknowledge(got);
            Message<byte[]> again = next(consumer);
            assertThat(value(again)).isEqualTo(1);
            assertThat(again.getRedeliveryCount()).isEqualTo(1);
            try (Consumer<byte[]> other = of(SubscriptionType.Shared).subscribe()) {
                consumer.close();
                takeAll(other, 1);
                expectNothing(other);
            }
        }
    }

    private static long delayed(TestAdmin admin) throws Exception {
        return admin.client().topics().getStats("t").getSubscriptions().values().stream()
                .mapToLong(SubscriptionStats::getMsgDelayed)
                .sum();
    }

    @Test
    void waitsAgainAfterASeekAndIsSkippedByClearingTheBacklog() throws Exception {
        try (TestAdmin admin = new TestAdmin(gateway);
                Consumer<byte[]> consumer = of(SubscriptionType.Shared).subscribe();
                Producer<byte[]> producer = single("t")) {
            sendLater(producer, 1, LONG);
            send(producer, 2);
            takeAll(consumer, 2);
            await().atMost(SOON, TimeUnit.SECONDS).until(() -> delayed(admin) == 1);
            consumer.seek(MessageId.earliest);
            takeAll(consumer, 2);
            expectNothing(consumer);
            admin.client().topics().skipAllMessages(T, "s");
            long time = sendLater(producer, 3, DELAY);
            expectNotBefore(consumer, 3, time);
            assertThat(delayed(admin)).isZero();
        }
    }

    @Test
    void waitsForItsTransactionAndForItsTime() throws Exception {
        try (Producer<byte[]> producer = single("t");
                Consumer<byte[]> consumer = of(SubscriptionType.Shared).subscribe()) {
            Transaction open = begin();
            Transaction aborted = begin();
            long time = System.currentTimeMillis() + DELAY;
            times.put(1, time);
            producer.newMessage(open).value(bytes(1)).deliverAt(time).send();
            producer.newMessage(aborted).value(bytes(2)).deliverAt(time).send();
            send(producer, open, 3);
            aborted.abort().get();
            open.commit().get();
            takeAll(consumer, 3);
            expectNotBefore(consumer, 1, time);
            expectNothing(consumer);
        }
    }

    /** An acknowledgement that an abort gives back has the log read again, over others whose time has not come. */
    @Test
    void anAbortedAcknowledgementBringsItBackOnce() throws Exception {
        try (Producer<byte[]> producer = single("t");
                Consumer<byte[]> consumer = of(SubscriptionType.Shared).subscribe()) {
            send(producer, 0);
            Message<byte[]> first = next(consumer);
            Transaction open = begin();
            consumer.acknowledgeAsync(first.getMessageId(), open).get();
            long time = sendLater(producer, 1, DELAY);
            sendLater(producer, 2, LONG);
            send(producer, 3);
            takeAll(consumer, 3);
            open.abort().get();
            takeAll(consumer, 0);
            expectNotBefore(consumer, 1, time);
            expectNothing(consumer);
        }
    }

    @Test
    void manyComeInTheOrderOfTheirTimes() throws Exception {
        int n = 500;
        try (Consumer<byte[]> consumer = of(SubscriptionType.Shared).subscribe();
                Producer<byte[]> producer = single("t")) {
            long at = System.currentTimeMillis() + DELAY;
            for (int i = 0; i < n; i++) {
                producer.newMessage().value(bytes(i)).deliverAt(at + n - i).sendAsync();
            }
            producer.flush();
            List<Integer> got = new ArrayList<>();
            for (int i = 0; i < n; i++) {
                Message<byte[]> m = next(consumer);
                assertThat(System.currentTimeMillis()).isGreaterThanOrEqualTo(at + n - value(m));
                got.add(value(m));
                consumer.acknowledge(m);
            }
            assertThat(got).doesNotHaveDuplicates();
        }
    }

    @Test
    void policiesOfNamespacesAndTopicsAreSetByTheAdminClient() throws Exception {
        gateway.broker().createTopic(TopicName.ofDefault("t"), 1, false);
        DelayedDeliveryPolicies off = policies(500, false, 0);
        DelayedDeliveryPolicies brief = policies(100, true, 60_000);
        try (TestAdmin server = new TestAdmin(gateway);
                Producer<byte[]> producer = single("t")) {
            var namespaces = server.client().namespaces();
            var topics = server.client().topicPolicies();
            assertThat(namespaces.getDelayedDelivery("public/default")).isNull();
            assertThat(topics.getDelayedDeliveryPolicy(T, true)).isEqualTo(policies(1_000, true, 0));
            namespaces.setDelayedDeliveryMessages("public/default", off);
            assertThat(namespaces.getDelayedDelivery("public/default")).isEqualTo(off);
            assertThat(topics.getDelayedDeliveryPolicy(T)).isNull();
            assertThat(topics.getDelayedDeliveryPolicy(T, true)).isEqualTo(off);
            try (Consumer<byte[]> consumer = of(SubscriptionType.Shared).subscribe()) {
                sendLater(producer, 1, LONG);
                takeAll(consumer, 1);
                topics.setDelayedDeliveryPolicy(T, brief);
                assertThat(topics.getDelayedDeliveryPolicy(T)).isEqualTo(brief);
                assertThatThrownBy(() -> sendLater(producer, 2, LONG))
                        .isInstanceOf(PulsarClientException.NotAllowedException.class)
                        .hasMessageContaining("Exceeds max allowed delivery delay of 60000 milliseconds");
                sendLater(producer, 3, 59_000);
                send(producer, 4);
                takeAll(consumer, 4);
            }
            topics.removeDelayedDeliveryPolicy(T);
            namespaces.removeDelayedDeliveryMessages("public/default");
            assertThat(namespaces.getDelayedDelivery("public/default")).isNull();
            assertThat(topics.getDelayedDeliveryPolicy(T)).isNull();
        }
    }

    private static DelayedDeliveryPolicies policies(long tick, boolean active, long most) {
        return DelayedDeliveryPolicies.builder()
                .tickTime(tick)
                .active(active)
                .maxDeliveryDelayInMillis(most)
                .build();
    }
}
