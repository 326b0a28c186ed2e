package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.PulsarClientException.NotAllowedException;
import org.apache.pulsar.client.api.Reader;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.client.api.TopicMessageId;
import org.apache.pulsar.client.api.transaction.Transaction;
import org.apache.pulsar.client.api.transaction.TransactionCoordinatorClientException.InvalidTxnStatusException;
import org.apache.pulsar.client.api.transaction.TransactionCoordinatorClientException.TransactionNotFoundException;
import org.apache.pulsar.client.api.transaction.TxnID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Sends in transactions, by the stock client. */
class TransactionTest extends TransactionalClientTest {
    @Test
    void aCommitShowsTheMessagesOfAllTopics() throws Exception {
        try (Producer<byte[]> a = single("a");
                Producer<byte[]> b = batching("b", 3);
                Consumer<byte[]> ofA = subscribe("a").subscribe();
                Consumer<byte[]> ofB = subscribe("b").subscribe()) {
            Transaction open = begin();
            send(a, open, 1);
            for (int i = 2; i < 5; i++) {
                b.newMessage(open).value(bytes(i)).sendAsync();
            }
            b.flush();
            expectNothing(ofA);
            expectNothing(ofB);
            open.commit().get();
            expect(ofA, 1);
            expect(ofB, 2, 3, 4);
        }
    }

    @ParameterizedTest
    @EnumSource(SubscriptionType.class)
    void whatWasAbortedIsNeverSeen(SubscriptionType type) throws Exception {
        try (Producer<byte[]> producer = single("t");
                Consumer<byte[]> consumer =
                        subscribe("t").subscriptionType(type).subscribe()) {
            send(producer, 0);
            Transaction aborted = begin();
            Transaction committed = begin();
            for (int i = 1; i < 9; i++) {
                send(producer, i % 2 == 0 ? committed : aborted, i);
            }
            send(producer, 9);
            aborted.abort().get();
            expect(consumer, 0);
            expectNothing(consumer);
            committed.commit().get();
            for (int value : new int[] {2, 4, 6, 8, 9}) {
                var message = next(consumer);
                assertThat(value(message)).isEqualTo(value);
                consumer.acknowledge(message);
            }
            expectNothing(consumer);
            consumer.redeliverUnacknowledgedMessages();
            var first = next(consumer);
            assertThat(value(first)).isZero();
            consumer.acknowledge(first);
            // Aborted messages and markers count as acknowledged: 10 messages and 2 markers.
            await().until(() -> ackedBelow("t") == 12);
        }
    }

    @Test
    void readersStopBeforeTheFirstOpenTransaction() throws Exception {
        try (Producer<byte[]> producer = single("t");
                Reader<byte[]> reader = plain.newReader()
                        .topic("t")
                        .startMessageId(MessageId.earliest)
                        .create()) {
            MessageId before = send(producer, 1);
            Transaction open = begin();
            send(producer, open, 2);
            send(producer, 3);
            assertThat(value(reader.readNext())).isEqualTo(1);
            assertThat(reader.hasMessageAvailable()).isFalse();
            assertThat(reader.getLastMessageIds().getFirst()).isEqualByComparingTo(last(before));
            open.commit().get();
            assertThat(reader.hasMessageAvailable()).isTrue();
            assertThat(value(reader.readNext())).isEqualTo(2);
            assertThat(value(reader.readNext())).isEqualTo(3);
            assertThat(reader.hasMessageAvailable()).isFalse();
        }
    }

    private static TopicMessageId last(MessageId id) {
        return TopicMessageId.create("persistent://public/default/t", id);
    }

    @Test
    void theLastMessageIsOneThatIsSeen() throws Exception {
        try (Producer<byte[]> producer = single("t");
                Reader<byte[]> reader = plain.newReader()
                        .topic("t")
                        .startMessageId(MessageId.earliest)
                        .create()) {
            Transaction aborted = begin();
            send(producer, aborted, 0);
            aborted.abort().get();
            assertThat(reader.hasMessageAvailable()).isFalse();
            MessageId one = send(producer, 1);
            Transaction again = begin();
            for (int i = 2; i < 40; i++) {
                send(producer, again, i);
            }
            again.abort().get();
            assertThat(reader.getLastMessageIds().getFirst()).isEqualByComparingTo(last(one));
            assertThat(reader.hasMessageAvailable()).isTrue();
            assertThat(value(reader.readNext())).isEqualTo(1);
            assertThat(reader.hasMessageAvailable()).isFalse();
        }
    }

    @Test
    void aTransactionThatIsOpenTooLongIsAborted() throws Exception {
        try (Producer<byte[]> producer = single("t");
                Consumer<byte[]> consumer = subscribe("t").subscribe()) {
            TxnID left = coordinators().newTransaction(1, TimeUnit.MILLISECONDS);
            Transaction open = begin(3);
            send(producer, open, 1);
            send(producer, 2);
            expect(consumer, 2);
            assertThatThrownBy(() -> open.commit().get()).hasCauseInstanceOf(InvalidTxnStatusException.class);
            assertThatThrownBy(() -> coordinators().commit(open.getTxnID()))
                    .isInstanceOf(TransactionNotFoundException.class);
            assertThatThrownBy(() -> coordinators().commit(left)).isInstanceOf(TransactionNotFoundException.class);
        }
    }

    @Test
    void aTransactionEndsOnce() throws Exception {
        try (Producer<byte[]> producer = single("t")) {
            Transaction done = begin();
            send(producer, done, 1);
            done.commit().get();
            TxnID id = done.getTxnID();
            coordinators().commit(id);
            assertThatThrownBy(() -> coordinators().abort(id)).isInstanceOf(TransactionNotFoundException.class);
            String topic = "persistent://public/default/t";
            assertThatThrownBy(() -> coordinators().addPublishPartitionToTxn(id, List.of(topic)))
                    .isInstanceOf(TransactionNotFoundException.class);
            TxnID unknown = new TxnID(id.getMostSigBits(), id.getLeastSigBits() + 1_000_000);
            assertThatThrownBy(() -> coordinators().commit(unknown)).isInstanceOf(TransactionNotFoundException.class);
            assertThat(committedEnd("t")).isEqualTo(2);
        }
    }

    @Test
    void aBatchOfATransactionThatIsOverIsAnswered() throws Exception {
        try (Producer<byte[]> producer = batching("t", 3);
                Consumer<byte[]> consumer = subscribe("t").subscribe()) {
            Transaction over = begin();
            sendBatch(producer, over);
            coordinators().abort(over.getTxnID());
            assertThatThrownBy(() -> sendBatch(producer, over)).hasCauseInstanceOf(NotAllowedException.class);
            Transaction next = begin();
            sendBatch(producer, next);
            next.commit().get();
            expect(consumer, 0, 1, 2);
            expectNothing(consumer);
        }
    }

    private static void sendBatch(Producer<byte[]> producer, Transaction in) throws Exception {
        List<CompletableFuture<MessageId>> sent = new ArrayList<>();
        for (int value = 0; value < 3; value++) {
            sent.add(producer.newMessage(in).value(bytes(value)).sendAsync());
        }
        CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)).get(SOON, TimeUnit.SECONDS);
    }

    @Test
    void openTransactionsGoOnAfterARestart() throws Exception {
        try (Producer<byte[]> producer = single("t");
                Consumer<byte[]> consumer = subscribe("t").subscribe()) {
            Transaction committed = begin();
            Transaction aborted = begin();
            Transaction ended = begin();
            send(producer, committed, 1);
            send(producer, aborted, 2);
            send(producer, ended, 3);
            ended.abort().get();
            gateway.restart();
            send(producer, committed, 4);
            send(producer, aborted, 5);
            send(producer, 6);
            expectNothing(consumer);
            committed.commit().get();
            aborted.abort().get();
            expect(consumer, 1, 4, 6);
            gateway.restart();
            try (Consumer<byte[]> another =
                    subscribe("t").subscriptionName("another").subscribe()) {
                expect(another, 1, 4, 6);
                expectNothing(another);
            }
        }
    }

    @Test
    void aTerminatedTopicHearsOfTheEndOnlyOfTransactionsThatWroteToIt() throws Exception {
        try (Producer<byte[]> producer = single("t");
                Consumer<byte[]> consumer = subscribe("t").subscribe()) {
            Transaction wrote = begin();
            Transaction came = begin();
            send(producer, wrote, 1);
            coordinators().addPublishPartitionToTxn(came.getTxnID(), List.of("persistent://public/default/t"));
            log("t").container()
                    .<Boolean>ask(answer -> log("t").terminate(answer.onceDurable(true)))
                    .get(SOON, TimeUnit.SECONDS);
            came.commit().get();
            expectNothing(consumer);
            assertThat(consumer.hasReachedEndOfTopic()).isFalse();
            wrote.commit().get();
            assertThat(committedEnd("t")).as("a message and one marker").isEqualTo(2);
            consumer.acknowledge(next(consumer));
            await().atMost(SOON, TimeUnit.SECONDS).until(consumer::hasReachedEndOfTopic);
        }
    }

    @Test
    void duplicatesInATransactionAreDropped() throws Exception {
        try (Producer<byte[]> producer = client.newProducer()
                        .topic("t")
                        .producerName("p")
                        .enableBatching(false)
                        .create();
                Consumer<byte[]> consumer = subscribe("t").subscribe()) {
            Transaction first = begin();
            sendAs(producer, first, 1, 10);
            sendAs(producer, first, 1, 11);
            first.commit().get();
            Transaction second = begin();
            sendAs(producer, second, 1, 12);
            sendAs(producer, second, 2, 13);
            second.commit().get();
            expect(consumer, 10, 13);
            expectNothing(consumer);
        }
    }

    private static void sendAs(Producer<byte[]> producer, Transaction in, long sequence, int value) throws Exception {
        producer.newMessage(in).sequenceId(sequence).value(bytes(value)).send();
    }

    @Test
    void manyTransactionsAtOnceAreAllSeen() throws Exception {
        int n = 200;
        try (Producer<byte[]> producer = single("t");
                Consumer<byte[]> consumer = subscribe("t").subscribe()) {
            List<CompletableFuture<Void>> commits = new ArrayList<>();
            for (int i = 0; i < n; i++) {
                Transaction open = begin();
                producer.newMessage(open).value(bytes(i)).sendAsync();
                commits.add(i % 3 == 0 ? open.abort() : open.commit());
            }
            for (CompletableFuture<Void> commit : commits) {
                commit.get();
            }
            // A send waits until the coordinator knows of the topic, so their order is not that of the calls.
            Set<Integer> seen = new TreeSet<>();
            Set<Integer> committed = new TreeSet<>();
            for (int i = 0; i < n; i++) {
                if (i % 3 != 0) {
                    committed.add(i);
                    seen.add(value(next(consumer)));
                }
            }
            assertThat(seen).isEqualTo(committed);
            expectNothing(consumer);
        }
    }

    @Test
    void aClientWithoutTransactionsHearsNothingOfThem() throws Exception {
        try (Producer<byte[]> producer = plain.newProducer().topic("t").create()) {
            producer.send(bytes(1));
        }
        assertThatThrownBy(() -> plain.newTransaction().build().get())
                .isInstanceOfAny(PulsarClientException.class, ExecutionException.class);
    }
}
