package io.sluice.transactions;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.coordinator.transaction.TransactionLog;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Single transactions of one shard whose log takes everything, or nothing. */
class SinglesTest {
    private static final int REMEMBERED = 10_000;

    private final Log log = new Log();
    private TransactionShard shard = shard(4 * REMEMBERED);

    private static final class Log implements StateLog {
        private boolean refuses;
        private int refused;
        private final List<Entry> records = new ArrayList<>();

        private record Entry(ByteBuffer key, @Nullable ByteBuffer value) {}

        @Override
        public void append(ByteBuffer key, @Nullable ByteBuffer value, Written written) {
            if (refuses) {
                refused++;
                written.refused(TransactionError.NOT_COORDINATOR);
            } else {
                records.add(new Entry(key, value));
                written.durable();
            }
        }
    }

    private TransactionShard shard(int maxIds) {
        TransactionSettings of = TransactionSettings.DEFAULT;
        var settings = new TransactionSettings(1, of.maxTimeout(), of.idExpiry(), maxIds);
        var room = new TransactionRoom(settings, 1, () -> List.of(shard), () -> 1_000_000);
        return new TransactionShard(
                log, (partition, marker, done) -> done.accept(Markers.Fate.WRITTEN), () -> 1_000_000, 1, room);
    }

    private static final class Told implements CallAnswer {
        private @Nullable TransactionError refused;

        @Override
        public void done(ProducerIdentity producer) {}

        @Override
        public void refused(TransactionError why) {
            refused = why;
        }
    }

    private @Nullable TransactionError begin(int number) {
        Told told = new Told();
        shard.singles().begin(new SingleTransaction(0, number), 60_000, null, told);
        return told.refused;
    }

    private Told init(int number) {
        Told told = new Told();
        shard.init("id-" + number, 60_000, null, number, told);
        return told;
    }

    private @Nullable TransactionError endedBy(String user, SingleTransaction transaction) {
        Told told = new Told();
        shard.endSingle(transaction.id(), user::equals, true, told);
        return told.refused;
    }

    private @Nullable TransactionError addedBy(String user, SingleTransaction transaction) {
        Told told = new Told();
        Set<TopicPartition> added = Set.of(new TopicPartition("t", 0));
        shard.joinSingle(
                transaction.id(),
                user::equals,
                new Joining(transaction.producer(), false, added, Long.MAX_VALUE, told));
        return told.refused;
    }

    /** As another server finds it in the log. */
    private void load() {
        shard = shard(16);
        log.records.forEach(record -> StateRecords.load(
                record.key().duplicate(), requireNonNull(record.value()).duplicate(), shard::load));
        shard.begin();
    }

    @Test
    void aTransactionIsUsedByItsOwnerAlone() {
        shard = shard(16);
        var transaction = new SingleTransaction(0, 1);
        String owner = TransactionUser.ownerOf("o".repeat(5_000));
        shard.singles().begin(transaction, 60_000, owner, CallAnswer.IGNORED);
        for (int loads = 0; loads < 2; loads++) {
            assertThat(addedBy("bob", transaction)).isEqualTo(TransactionError.UNKNOWN_PRODUCER);
            assertThat(endedBy("bob", transaction)).isEqualTo(TransactionError.UNKNOWN_PRODUCER);
            assertThat(addedBy(owner, transaction)).isNull();
            assertThat(requireNonNull(shard.describe(transaction.id())).owner()).isEqualTo(owner);
            load();
        }
        assertThat(endedBy(owner, transaction)).isNull();
        assertThat(endedBy("bob", transaction)).isEqualTo(TransactionError.UNKNOWN_PRODUCER);
        load();
        assertThat(endedBy("bob", transaction)).isEqualTo(TransactionError.UNKNOWN_PRODUCER);
    }

    /** As those that earlier servers have written. */
    @Test
    void aTransactionWithoutAnOwnerIsForAll() {
        shard = shard(16);
        var transaction = new SingleTransaction(0, 1);
        shard.singles().begin(transaction, 60_000, null, CallAnswer.IGNORED);
        load();
        assertThat(addedBy("bob", transaction)).isNull();
        assertThat(endedBy("alice", transaction)).isNull();
    }

    /** What a server from before owners, or Kafka, reads of it. */
    @Test
    void aRecordWithAnOwnerIsOneOfKafkas() {
        shard = shard(16);
        var transaction = new SingleTransaction(0, 1);
        shard.singles().begin(transaction, 60_000, "alice", CallAnswer.IGNORED);
        Log.Entry record = log.records.getFirst();
        assertThat(TransactionLog.read(record.key().duplicate(), record.value()))
                .isInstanceOfSatisfying(
                        TransactionLog.TxnRecord.class,
                        read -> assertThat(read.metadata().txnTimeoutMs()).isEqualTo(60_000));
    }

    private @Nullable TransactionError add(int number, int partitions, boolean joins) {
        Told told = new Told();
        var transaction = new SingleTransaction(0, number);
        Set<TopicPartition> added = new HashSet<>();
        for (int p = 0; p < partitions; p++) {
            added.add(new TopicPartition("t", p));
        }
        if (joins) {
            shard.join(transaction.id(), new Joining(transaction.producer(), false, added, Long.MAX_VALUE, told));
        } else {
            shard.add(transaction.id(), transaction.producer(), added, false, told);
        }
        return told.refused;
    }

    private void end(int number) {
        shard.endSingle(new SingleTransaction(0, number).id(), TransactionUser.ANY, true, CallAnswer.IGNORED);
    }

    /** Else clients that leave theirs open would keep producers out, and the other way round. */
    @Test
    void singleTransactionsAndProducersHaveRoomOfTheirOwn() {
        shard = shard(16);
        for (int n = 0; n < 4; n++) {
            assertThat(begin(n)).isNull();
        }
        assertThat(begin(4)).isEqualTo(TransactionError.TOO_MANY_IDS);
        for (int n = 0; n < 8; n++) {
            assertThat(init(n).refused).isNull();
        }
        assertThat(init(8).refused).isEqualTo(TransactionError.TOO_MANY_IDS);
        assertThat(init(7).refused).isNull();
        end(0);
        assertThat(begin(4)).isNull();
        assertThat(begin(5)).isEqualTo(TransactionError.TOO_MANY_IDS);
        for (int n = 1; n < 100; n++) {
            end(n + 3);
            assertThat(begin(n + 4)).isNull();
            shard.singles().forgetEnded();
        }
        assertThat(shard.size()).isEqualTo(8 + 4 + 4);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void partitionsOfOpenTransactionsAreBounded(boolean joins) {
        shard = shard(16);
        begin(0);
        begin(1);
        assertThat(add(0, 10, joins)).isNull();
        assertThat(add(1, 7, joins)).isEqualTo(TransactionError.TOO_MANY_IDS);
        assertThat(add(1, 6, joins)).isNull();
        assertThat(add(1, 6, joins)).isNull();
        end(0);
        assertThat(add(1, 16, joins)).isNull();
        end(1);
        assertThat(shard.open().partitions()).isZero();
    }

    private void beginAndEnd(int number) {
        var transaction = new SingleTransaction(0, number);
        shard.singles().begin(transaction, 60_000, null, CallAnswer.IGNORED);
        shard.endSingle(transaction.id(), TransactionUser.ANY, true, CallAnswer.IGNORED);
    }

    /** As while the state partition moves. */
    @Test
    void aLogThatRefusesAtOnceIsNotAskedAgainAndAgain() {
        for (int n = 0; n < REMEMBERED + 50; n++) {
            beginAndEnd(n);
        }
        log.refuses = true;
        assertTimeoutPreemptively(Duration.ofSeconds(30), () -> shard.singles().forgetEnded());
        assertThat(log.refused).isEqualTo(1);
        assertThat(shard.size()).isEqualTo(REMEMBERED + 50);
        log.refuses = false;
        shard.singles().forgetEnded();
        assertThat(shard.size()).isEqualTo(REMEMBERED);
    }
}
