package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.topic.TopicName;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClientException.TransactionConflictException;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.client.api.transaction.Transaction;
import org.junit.jupiter.api.Test;

/** What is written and acknowledged in transactions, while the partition moves to another container. */
class MovedTransactionsTest extends TransactionalClientTest {
    private static final TopicName NAME = TopicName.ofDefault("t");

    /** To the other container and back again, and there once more. */
    private void move() {
        for (int move = 0; move < 3; move++) {
            int now = Objects.requireNonNull(gateway.broker().catalogue().find(NAME))
                    .partitions()
                    .getFirst()
                    .container();
            gateway.broker().catalogue().move(NAME, 0, 1 - now).join();
        }
    }

    private static List<Message<byte[]>> take(Consumer<byte[]> consumer, int n) throws Exception {
        List<Message<byte[]>> taken = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            taken.add(next(consumer));
        }
        return taken;
    }

    private static void ackIn(Consumer<byte[]> consumer, Message<byte[]> message, Transaction in) throws Exception {
        consumer.acknowledgeAsync(message.getMessageId(), in).get(SOON, TimeUnit.SECONDS);
    }

    @Test
    void acknowledgementsStayPending() throws Exception {
        try (Producer<byte[]> producer = single("t");
                Consumer<byte[]> consumer =
                        subscribe("t").subscriptionType(SubscriptionType.Shared).subscribe()) {
            for (int i = 0; i < 6; i++) {
                send(producer, i);
            }
            Transaction committed = begin();
            Transaction aborted = begin();
            List<Message<byte[]>> taken = take(consumer, 6);
            for (int i = 0; i < 4; i++) {
                ackIn(consumer, taken.get(i), i < 2 ? committed : aborted);
            }
            move();
            expect(consumer, 4, 5);
            expectNothing(consumer);
            Transaction another = begin();
            assertThatThrownBy(() -> ackIn(consumer, taken.get(0), another))
                    .hasCauseInstanceOf(TransactionConflictException.class);
            assertThat(ackedBelow("t")).isZero();

            committed.commit().get();
            aborted.abort().get();
            assertThat(ackedBelow("t")).isEqualTo(2);
            for (int value = 2; value < 4; value++) {
                Message<byte[]> again = next(consumer);
                assertThat(value(again)).isEqualTo(value);
                assertThat(again.getRedeliveryCount()).isEqualTo(1);
            }
            expectNothing(consumer);
        }
    }

    @Test
    void everythingUpToAMessageStaysPending() throws Exception {
        try (Producer<byte[]> producer = single("t");
                Consumer<byte[]> consumer = subscribe("t").subscribe()) {
            for (int i = 0; i < 4; i++) {
                send(producer, i);
            }
            Transaction aborted = begin();
            consumer.acknowledgeCumulativeAsync(take(consumer, 4).get(1).getMessageId(), aborted)
                    .get(SOON, TimeUnit.SECONDS);
            move();
            List<Message<byte[]>> behind = take(consumer, 2);
            assertThat(behind.stream().map(ClientTest::value)).containsExactly(2, 3);
            aborted.abort().get();
            List<Message<byte[]>> again = take(consumer, 4);
            assertThat(again.stream().map(ClientTest::value)).containsExactly(0, 1, 2, 3);
            Transaction committed = begin();
            consumer.acknowledgeCumulativeAsync(again.get(2).getMessageId(), committed)
                    .get(SOON, TimeUnit.SECONDS);
            move();
            committed.commit().get();
            assertThat(ackedBelow("t")).isEqualTo(3);
        }
    }

    @Test
    void messagesOfOpenTransactionsMoveAlong() throws Exception {
        try (Producer<byte[]> producer = single("t");
                Consumer<byte[]> consumer = subscribe("t").subscribe()) {
            Transaction committed = begin();
            Transaction aborted = begin();
            send(producer, committed, 1);
            send(producer, aborted, 2);
            move();
            send(producer, committed, 3);
            send(producer, aborted, 4);
            send(producer, 5);
            expectNothing(consumer);
            aborted.abort().get();
            move();
            committed.commit().get();
            expect(consumer, 1, 3, 5);
            expectNothing(consumer);
        }
    }
}
