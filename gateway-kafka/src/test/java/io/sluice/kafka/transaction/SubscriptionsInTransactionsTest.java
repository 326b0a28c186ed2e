package io.sluice.kafka.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.subscription.SubscriptionReader;
import io.sluice.store.segment.Durable;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The stock Java producer moves a subscription of Pulsar's with its transactions. */
class SubscriptionsInTransactionsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String GROUP = "_sub.t/readers";
    private static final TopicPartition FIRST = new TopicPartition("t", 0);

    private TransactionServer server;

    @BeforeEach
    void start() throws Exception {
        server = new TransactionServer();
        server.create("t", 1);
        server.create("out", 1);
        try (KafkaProducer<String, String> producer = server.plainProducer(Map.of())) {
            for (int i = 0; i < 10; i++) {
                producer.send(new ProducerRecord<>("t", "" + i));
            }
        }
        server.onLoop("t", log -> log.subscriptions().create("readers", 0, Map.of(), Durable.IGNORED));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private static Cursor cursor(PartitionLog log) {
        return Objects.requireNonNull(log.subscriptions().find("readers"));
    }

    private void connect(String name, String type) {
        var readers = List.of(
                new SubscriptionReader(name, "/127.0.0.1:4711", type, true),
                new SubscriptionReader("waiting", "/127.0.0.1:4712", type, false));
        server.onLoop("t", log -> {
            cursor(log).setReaders(() -> readers);
            return true;
        });
    }

    private long ackedBelow() {
        return server.onLoop("t", log -> cursor(log).ackedBelow());
    }

    private int open() {
        return server.onLoop("t", log -> cursor(log).pendingTransactions());
    }

    @SuppressWarnings("removal") // no Kafka consumer reads
    private static ConsumerGroupMetadata group(String id) {
        return new ConsumerGroupMetadata(id);
    }

    @SuppressWarnings("removal")
    private static ConsumerGroupMetadata consumer(String name) {
        return new ConsumerGroupMetadata(GROUP, 1, name, Optional.empty());
    }

    private static void move(KafkaProducer<String, String> producer, long offset, ConsumerGroupMetadata group) {
        move(producer, offset, "", group);
    }

    private static void move(
            KafkaProducer<String, String> producer, long offset, String metadata, ConsumerGroupMetadata group) {
        producer.send(new ProducerRecord<>("out", "up to " + offset));
        producer.sendOffsetsToTransaction(Map.of(FIRST, new OffsetAndMetadata(offset, metadata)), group);
    }

    private List<String> written() {
        return server.read("out", 0, "read_committed");
    }

    @Test
    void positionMovesWithTheCommitOrNotAtAll() throws Exception {
        connect("reader", "Exclusive");
        try (KafkaProducer<String, String> producer = server.producer("id");
                Admin admin = server.admin()) {
            producer.initTransactions();
            producer.beginTransaction();
            move(producer, 3, group(GROUP));
            move(producer, 4, group(GROUP));
            assertThat(ackedBelow()).isZero();
            assertThat(admin.listConsumerGroupOffsets(GROUP)
                            .partitionsToOffsetAndMetadata()
                            .get())
                    .containsEntry(FIRST, new OffsetAndMetadata(0, "transactions=1"));
            producer.commitTransaction();
            await().atMost(PATIENCE).until(() -> ackedBelow() == 4);
            producer.beginTransaction();
            move(producer, 8, group(GROUP));
            producer.abortTransaction();
            await().atMost(PATIENCE).until(() -> open() == 0);
            assertThat(ackedBelow()).isEqualTo(4);
            producer.beginTransaction();
            move(producer, 6, group(GROUP));
            producer.commitTransaction();
            await().atMost(PATIENCE).until(() -> ackedBelow() == 6);
        }
        assertThat(written()).containsExactly("up to 3", "up to 4", "up to 6");
    }

    @Test
    void survivesContainersThatChangeTheirOwner() {
        try (KafkaProducer<String, String> producer = server.producer("id")) {
            producer.initTransactions();
            for (int upTo = 2; upTo <= 8; upTo += 2) {
                producer.beginTransaction();
                move(producer, upTo, group(GROUP));
                server.restartContainers();
                assertThat(ackedBelow()).isEqualTo(upTo - 2);
                producer.commitTransaction();
                long moved = upTo;
                await().atMost(PATIENCE).until(() -> ackedBelow() == moved && open() == 0);
            }
        }
        assertThat(written()).hasSize(4);
    }

    @Test
    void aProducerOfTheSameIdTakesBackWhatTheEarlierHadNotCommitted() {
        try (KafkaProducer<String, String> first = server.producer("id");
                KafkaProducer<String, String> second = server.producer("id")) {
            first.initTransactions();
            first.beginTransaction();
            move(first, 5, group(GROUP));
            second.initTransactions();
            await().atMost(PATIENCE).until(() -> open() == 0);
            assertThatThrownBy(() -> move(first, 7, group(GROUP))).isInstanceOf(RuntimeException.class);
            assertThat(open()).isZero();
            second.beginTransaction();
            move(second, 2, group(GROUP));
            second.commitTransaction();
            await().atMost(PATIENCE).until(() -> ackedBelow() == 2);
        }
        assertThat(written()).containsExactly("up to 2");
    }

    @Test
    void onlyTheConsumerThatIsServedMovesIt() {
        connect("active", "Failover");
        try (KafkaProducer<String, String> producer = server.producer("id")) {
            producer.initTransactions();
            refused(producer, () -> move(producer, 5, consumer("waiting")), CommitFailedException.class);
            refused(producer, () -> move(producer, 5, consumer("gone")), CommitFailedException.class);
            producer.beginTransaction();
            move(producer, 5, consumer("active"));
            producer.commitTransaction();
            await().atMost(PATIENCE).until(() -> ackedBelow() == 5);
            refused(producer, () -> move(producer, 5, consumer("active")), CommitFailedException.class);
            refused(producer, () -> move(producer, 3, group(GROUP)), CommitFailedException.class);
        }
        assertThat(written()).containsExactly("up to 5");
    }

    @Test
    void whatWasReadBeforeItWasAcknowledgedIsAConflict() {
        try (KafkaProducer<String, String> producer = server.producer("id")) {
            producer.initTransactions();
            producer.beginTransaction();
            move(producer, 3, "from=0", group(GROUP));
            move(producer, 5, "from=3", group(GROUP));
            producer.commitTransaction();
            await().atMost(PATIENCE).until(() -> ackedBelow() == 5);
            refused(producer, () -> move(producer, 8, "a=b&from=4", group(GROUP)), CommitFailedException.class);
            producer.beginTransaction();
            move(producer, 8, "from=5&a=b", group(GROUP));
            producer.commitTransaction();
            await().atMost(PATIENCE).until(() -> ackedBelow() == 8);
        }
        assertThat(written()).containsExactly("up to 3", "up to 5", "up to 8");
    }

    @Test
    void whatAnotherTransactionHasAcknowledgedIsAConflict() {
        try (KafkaProducer<String, String> producer = server.producer("id");
                KafkaProducer<String, String> other = server.producer("other")) {
            producer.initTransactions();
            other.initTransactions();
            producer.beginTransaction();
            move(producer, 5, group(GROUP));
            refused(other, () -> move(other, 7, group(GROUP)), CommitFailedException.class);
            producer.commitTransaction();
            await().atMost(PATIENCE).until(() -> ackedBelow() == 5);
            other.beginTransaction();
            move(other, 7, group(GROUP));
            other.commitTransaction();
            await().atMost(PATIENCE).until(() -> ackedBelow() == 7);
        }
    }

    @Test
    void whatMakesNoSenseIsRefused() {
        refusedForGood(11, GROUP, Errors.OFFSET_OUT_OF_RANGE);
        refusedForGood(5, "_sub.t/nobody", Errors.GROUP_ID_NOT_FOUND);
        refusedForGood(5, "_sub.out/readers", Errors.INVALID_REQUEST);
        connect("one", "Shared");
        refusedForGood(5, GROUP, Errors.INCONSISTENT_GROUP_PROTOCOL);
        connect("one", "Key_Shared");
        refusedForGood(5, GROUP, Errors.INCONSISTENT_GROUP_PROTOCOL);
        assertThat(ackedBelow()).isZero();
        assertThat(open()).isZero();
    }

    private void refusedForGood(long offset, String group, Errors why) {
        try (KafkaProducer<String, String> producer = server.producer("id")) {
            producer.initTransactions();
            producer.beginTransaction();
            assertThatThrownBy(() -> move(producer, offset, group(group)))
                    .isInstanceOf(KafkaException.class)
                    .hasMessageContaining(why.message());
        }
    }

    private static void refused(
            KafkaProducer<String, String> producer, ThrowingCallable call, Class<? extends Exception> why) {
        producer.beginTransaction();
        assertThatThrownBy(call).isInstanceOf(why);
        producer.abortTransaction();
    }
}
