package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClientException.NotAllowedException;
import org.apache.pulsar.client.api.PulsarClientException.TransactionConflictException;
import org.apache.pulsar.client.api.SubscriptionMode;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.client.api.transaction.Transaction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Acknowledgements in transactions, by the stock client. */
class TransactionalAckTest extends TransactionalClientTest {
    private static void ackIn(Consumer<byte[]> consumer, Message<byte[]> message, Transaction in) throws Exception {
        consumer.acknowledgeAsync(message.getMessageId(), in).get(SOON, TimeUnit.SECONDS);
    }

    private static void ackUpToIn(Consumer<byte[]> consumer, Message<byte[]> message, Transaction in) throws Exception {
        consumer.acknowledgeCumulativeAsync(message.getMessageId(), in).get(SOON, TimeUnit.SECONDS);
    }

    private void produce(int n) throws Exception {
        try (Producer<byte[]> producer = single("t")) {
            for (int i = 0; i < n; i++) {
                send(producer, i);
            }
        }
    }

    private Consumer<byte[]> consumer(SubscriptionType type) throws Exception {
        return subscribe("t").subscriptionType(type).subscribe();
    }

    private static List<Message<byte[]>> take(Consumer<byte[]> consumer, int n) throws Exception {
        List<Message<byte[]>> taken = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            taken.add(next(consumer));
        }
        return taken;
    }

    @ParameterizedTest
    @EnumSource(SubscriptionType.class)
    void whatIsAcknowledgedCountsWithTheCommit(SubscriptionType type) throws Exception {
        produce(4);
        try (Consumer<byte[]> consumer = consumer(type)) {
            Transaction open = begin();
            for (Message<byte[]> message : take(consumer, 3)) {
                ackIn(consumer, message, open);
            }
            assertThat(ackedBelow("t")).isZero();
            open.commit().get();
            assertThat(ackedBelow("t")).isEqualTo(3);
        }
        try (Consumer<byte[]> again = consumer(type)) {
            expect(again, 3);
            expectNothing(again);
        }
    }

    /** The coordinator ends what it is told of in the shadow topic's subscription, and not in the source's of the same name. */
    @Test
    void aShadowTopicsSubscriptionEndsByItself() throws Exception {
        produce(3);
        var catalogue = gateway.broker().catalogue();
        Topic source = Objects.requireNonNull(catalogue.find(TopicName.ofDefault("t")));
        catalogue.createShadow(TopicName.ofDefault("shadow"), source, Map.of()).join();
        try (Consumer<byte[]> own = consumer(SubscriptionType.Shared);
                Consumer<byte[]> consumer = subscribe("shadow").subscribe()) {
            List<Message<byte[]>> taken = take(consumer, 2);
            Transaction aborted = begin();
            ackIn(consumer, taken.get(0), aborted);
            aborted.abort().get();
            assertThat(ackedBelow("shadow")).isZero();
            Transaction committed = begin();
            ackUpToIn(consumer, taken.get(1), committed);
            committed.commit().get();
            assertThat(ackedBelow("shadow")).isEqualTo(2);
            assertThat(ackedBelow("t")).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(SubscriptionType.class)
    void anAbortGivesTheMessagesBack(SubscriptionType type) throws Exception {
        produce(4);
        try (Consumer<byte[]> consumer = consumer(type)) {
            List<Message<byte[]>> taken = take(consumer, 4);
            Transaction open = begin();
            ackIn(consumer, taken.get(1), open);
            ackIn(consumer, taken.get(2), open);
            consumer.acknowledge(taken.get(3));
            consumer.acknowledge(taken.get(0));
            await().until(() -> ackedBelow("t") == 1); // the client sends it a moment later
            expectNothing(consumer);
            open.abort().get();
            for (int value = 1; value < 3; value++) {
                Message<byte[]> message = next(consumer);
                assertThat(value(message)).isEqualTo(value);
                consumer.acknowledge(message);
            }
            expectNothing(consumer);
            await().until(() -> ackedBelow("t") == 4);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = SubscriptionType.class,
            names = {"Exclusive", "Failover"})
    void everythingUpToAMessage(SubscriptionType type) throws Exception {
        produce(6);
        try (Consumer<byte[]> consumer = consumer(type)) {
            List<Message<byte[]>> taken = take(consumer, 6);
            Transaction aborted = begin();
            ackUpToIn(consumer, taken.get(1), aborted);
            ackUpToIn(consumer, taken.get(3), aborted);
            assertThatThrownBy(() -> ackUpToIn(consumer, taken.get(2), aborted))
                    .hasCauseInstanceOf(TransactionConflictException.class);
            Transaction other = begin();
            assertThatThrownBy(() -> ackUpToIn(consumer, taken.get(3), other))
                    .hasCauseInstanceOf(TransactionConflictException.class);
            aborted.abort().get();
            List<Message<byte[]>> again = take(consumer, 6);
            assertThat(again.stream().map(ClientTest::value)).containsExactly(0, 1, 2, 3, 4, 5);
            Transaction committed = begin();
            ackUpToIn(consumer, again.get(2), committed);
            committed.commit().get();
            assertThat(ackedBelow("t")).isEqualTo(3);
            Transaction late = begin();
            assertThatThrownBy(() -> ackUpToIn(consumer, again.get(1), late))
                    .hasCauseInstanceOf(TransactionConflictException.class);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = SubscriptionType.class,
            names = {"Shared", "Key_Shared"})
    void messagesOfABatch(SubscriptionType type) throws Exception {
        try (Producer<byte[]> producer = batching("t", 5)) {
            sendBatch(producer, 0, 5);
        }
        try (Consumer<byte[]> consumer = subscribe("t")
                .subscriptionType(type)
                .enableBatchIndexAcknowledgment(true)
                .subscribe()) {
            List<Message<byte[]>> taken = take(consumer, 5);
            Transaction committed = begin();
            Transaction aborted = begin();
            Transaction refused = begin();
            ackIn(consumer, taken.get(0), committed);
            ackIn(consumer, taken.get(3), committed);
            ackIn(consumer, taken.get(1), aborted);
            assertThatThrownBy(() -> ackIn(consumer, taken.get(1), refused))
                    .hasCauseInstanceOf(TransactionConflictException.class);
            committed.commit().get();
            assertThat(ackedBelow("t")).isEqualTo(1);
            aborted.abort().get();
            // The entry comes again, without what is acknowledged.
            assertThat(take(consumer, 3).stream().map(ClientTest::value)).containsExactly(1, 2, 4);
            expectNothing(consumer);
        }
    }

    @Test
    void twoTransactionsDoNotAcknowledgeTheSame() throws Exception {
        produce(3);
        try (Consumer<byte[]> consumer = consumer(SubscriptionType.Shared)) {
            List<Message<byte[]>> taken = take(consumer, 3);
            Transaction first = begin();
            Transaction second = begin();
            ackIn(consumer, taken.get(0), first);
            Transaction third = begin();
            assertThatThrownBy(() -> ackIn(consumer, taken.get(0), third))
                    .hasCauseInstanceOf(TransactionConflictException.class);
            assertThatThrownBy(() -> ackIn(consumer, taken.get(0), first))
                    .hasCauseInstanceOf(TransactionConflictException.class);
            ackIn(consumer, taken.get(1), second);
            first.abort().get();
            second.commit().get();
            assertThatThrownBy(() -> ackIn(consumer, taken.get(1), third))
                    .hasCauseInstanceOf(TransactionConflictException.class);
            assertThat(value(next(consumer))).isZero();
            assertThat(ackedBelow("t")).isZero();
        }
    }

    /** None of them is with the consumer that acknowledges them, so each is looked for: that must not deepen the stack. */
    @Test
    void manyMessagesInOneCommand() throws Exception {
        int many = 5_000;
        List<CompletableFuture<MessageId>> sent = new ArrayList<>();
        try (Producer<byte[]> producer = single("t")) {
            for (int i = 0; i < many; i++) {
                sent.add(producer.sendAsync(new byte[] {1}));
            }
            producer.flush();
        }
        List<MessageId> ids = sent.stream().map(CompletableFuture::join).toList();
        try (Consumer<byte[]> consumer = subscribe("t").receiverQueueSize(1).subscribe()) {
            Transaction open = begin();
            consumer.acknowledgeAsync(ids, open).get(20, TimeUnit.SECONDS);
            open.commit().get(20, TimeUnit.SECONDS);
            assertThat(ackedBelow("t")).isEqualTo(many);
        }
    }

    @Test
    void whatIsPendingIsSentToNobodyElse() throws Exception {
        produce(3);
        Transaction open = begin();
        try (Consumer<byte[]> first = consumer(SubscriptionType.Shared)) {
            ackIn(first, next(first), open);
        }
        try (Consumer<byte[]> second = consumer(SubscriptionType.Shared)) {
            expect(second, 1, 2);
            expectNothing(second);
            open.abort().get();
            expect(second, 0);
        }
    }

    /** As in Pulsar, where only consumers that share messages are told. */
    @Test
    void anAbortCountsAsARedelivery() throws Exception {
        produce(2);
        try (Producer<byte[]> producer = batching("t", 3);
                Consumer<byte[]> consumer = subscribe("t")
                        .subscriptionType(SubscriptionType.Shared)
                        .enableBatchIndexAcknowledgment(true)
                        .subscribe()) {
            sendBatch(producer, 2, 5);
            for (int times = 0; times < 3; times++) {
                Transaction aborted = begin();
                for (Message<byte[]> message : take(consumer, 5)) {
                    assertThat(message.getRedeliveryCount()).isEqualTo(times);
                    // Of the batch once all and then a part.
                    if (times == 0 || value(message) != 4) {
                        ackIn(consumer, message, aborted);
                    }
                }
                aborted.abort().get();
            }
        }
        try (Consumer<byte[]> another = consumer(SubscriptionType.Shared)) {
            assertThat(take(another, 5)).allMatch(message -> message.getRedeliveryCount() == 0);
        }
    }

    @Test
    void pendingAcknowledgementsSurviveARestart() throws Exception {
        produce(4);
        Transaction committed = begin();
        Transaction aborted = begin();
        try (Consumer<byte[]> consumer = consumer(SubscriptionType.Shared)) {
            List<Message<byte[]>> taken = take(consumer, 4);
            ackIn(consumer, taken.get(0), committed);
            ackIn(consumer, taken.get(1), aborted);
            gateway.restart();
            expect(consumer, 2, 3);
            expectNothing(consumer);
            committed.commit().get();
            aborted.abort().get();
            expect(consumer, 1);
            expectNothing(consumer);
        }
        assertThat(ackedBelow("t")).isEqualTo(1);
    }

    @Test
    void aTimeOutGivesBackToo() throws Exception {
        produce(1);
        try (Consumer<byte[]> consumer = consumer(SubscriptionType.Shared)) {
            ackIn(consumer, next(consumer), begin(3));
            expect(consumer, 0);
        }
    }

    @Test
    void aTransactionThatHasEndedAcknowledgesNothing() throws Exception {
        produce(2);
        try (Consumer<byte[]> consumer = consumer(SubscriptionType.Shared)) {
            Message<byte[]> message = next(consumer);
            Transaction done = begin();
            // So that the client does not know.
            coordinators().commit(done.getTxnID());
            assertThatThrownBy(() -> ackIn(consumer, message, done)).isInstanceOf(ExecutionException.class);
            assertThat(ackedBelow("t")).isZero();
        }
    }

    /** What is read is written on and acknowledged in one transaction, of which some are aborted, while the server starts again. */
    @Test
    void eachMessageIsWrittenOnOnce() throws Exception {
        int n = 60;
        produce(n);
        Random random = new Random(7);
        List<Integer> out = new ArrayList<>();
        Consumer<byte[]> in = consumer(SubscriptionType.Exclusive);
        try (Producer<byte[]> producer = single("out");
                Consumer<byte[]> check = subscribe("out").subscribe()) {
            int done = 0;
            while (done < n) {
                Transaction open = begin();
                int batch = 1 + random.nextInt(5);
                List<Message<byte[]>> taken = new ArrayList<>();
                for (int i = 0; i < batch && done + i < n; i++) {
                    Message<byte[]> message = next(in);
                    send(producer, open, value(message));
                    ackIn(in, message, open);
                    taken.add(message);
                }
                if (random.nextInt(8) == 0) {
                    restartUnder(in, check);
                }
                if (random.nextInt(3) == 0) {
                    open.abort().get();
                    // What was fetched ahead comes again behind what is given back. A consumer that gives back may
                    // keep a message that arrives just then (client 5.0.0-M1): another one takes its place.
                    in.close();
                    in = consumer(SubscriptionType.Exclusive);
                } else {
                    open.commit().get();
                    done += taken.size();
                    taken.forEach(message -> out.add(value(message)));
                }
            }
            assertThat(out).hasSize(n).doesNotHaveDuplicates();
            for (int value : out) {
                expect(check, value);
            }
            expectNothing(check);
            expectNothing(in);
        }
    }

    /** Until a client has noticed, it has what it fetched ahead, and gets it again. */
    @SafeVarargs
    private void restartUnder(Consumer<byte[]>... consumers) throws Exception {
        List<Long> before =
                Stream.of(consumers).map(Consumer::getLastDisconnectedTimestamp).toList();
        gateway.restart();
        for (int i = 0; i < consumers.length; i++) {
            Consumer<byte[]> consumer = consumers[i];
            long then = before.get(i);
            await().until(() -> consumer.getLastDisconnectedTimestamp() > then && consumer.isConnected());
        }
    }

    @Test
    void aReaderAcknowledgesInNoTransaction() throws Exception {
        produce(1);
        try (Consumer<byte[]> consumer =
                subscribe("t").subscriptionMode(SubscriptionMode.NonDurable).subscribe()) {
            Message<byte[]> message = next(consumer);
            Transaction open = begin();
            assertThatThrownBy(() -> ackIn(consumer, message, open)).hasCauseInstanceOf(NotAllowedException.class);
            open.abort().get();
        }
    }
}
