package io.sluice.pulsar.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.TestBroker;
import io.sluice.broker.TestEntries;
import io.sluice.broker.entry.ProducerIds;
import io.sluice.broker.log.AppendRejection;
import io.sluice.broker.log.AppendReply;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.conversion.EntryConversions;
import io.sluice.pulsar.dispatch.TransactionalAcks.Refusal;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.pulsar.common.api.proto.ServerError;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Acknowledgements in transactions whose coordinators answer later. */
@Timeout(60)
class AckVerificationsTest {
    private static final long TRANSACTION = ProducerIds.single(3);
    private static final int MESSAGES = 2_000;

    private final TestBroker broker = TestBroker.start();

    /** The coordinator's answers that are not given yet; written by the loop. */
    private final List<Consumer<@Nullable Refusal>> asked = new ArrayList<>();

    /** Users that the coordinator has let in; of the loop. */
    private final Set<String> verified = new HashSet<>();

    private int settled;
    private PartitionLog log;
    private Cursor cursor;
    private Outstanding outstanding;
    private AckVerifications verifications;

    /** "done", "failed" or the error that it is refused with. */
    private final class Told implements TransactionalAcks.Reply {
        private final CompletableFuture<String> told = new CompletableFuture<>();
        private final String user;

        Told(String user) {
            this.user = user;
        }

        @Override
        public String user() {
            return user;
        }

        @Override
        public boolean isVerified() {
            return verified.contains(user);
        }

        @Override
        public void verified() {
            verified.add(user);
        }

        @Override
        public void verify(Consumer<@Nullable Refusal> answer) {
            asked.add(answer);
        }

        @Override
        public void done(@Nullable StoreFailure why) {
            told.complete(why == null ? "done" : "failed");
        }

        @Override
        public void refused(Refusal why) {
            told.complete(why.error().toString());
        }

        String get() throws Exception {
            return told.get(30, TimeUnit.SECONDS);
        }
    }

    @BeforeEach
    void subscribe() throws Exception {
        broker.createTopic("t", 1);
        log = broker.partition("t", 0);
        CompletableFuture<Long> written = new CompletableFuture<>();
        broker.onLoop(log, () -> {
            for (int i = 0; i < MESSAGES; i++) {
                log.append(TestEntries.plain(1, 1, 1), i < MESSAGES - 1 ? new Ignoring() : new Completing(written));
            }
            return true;
        });
        written.get(30, TimeUnit.SECONDS);
        cursor = broker.onLoop(log, () -> log.subscriptions().create("s", 0, Map.of(), Durable.IGNORED));
        outstanding = broker.onLoop(
                log,
                () -> new Outstanding(
                        log,
                        cursor,
                        new NothingSettled(),
                        new FirstMessages(log, EntryConversions.inHeap(1 << 20, Runnable::run), () -> false)));
        verifications = new AckVerifications(log.container(), cursor, () -> settled++);
    }

    @AfterEach
    void close() {
        broker.close();
    }

    private Told ack(long offset) {
        return ack(offset, "alice");
    }

    private Told ack(long offset, String user) {
        Told told = new Told(user);
        broker.onLoop(log, () -> {
            var entry = new AckedEntry(log.ledgerAt(offset), offset, null);
            new TransactionalAcks(outstanding, verifications, TRANSACTION, List.of(entry), false, false, told).start();
            return true;
        });
        return told;
    }

    private List<Consumer<@Nullable Refusal>> questions() {
        return broker.onLoop(log, () -> List.copyOf(asked));
    }

    private boolean isPending(long offset) {
        return broker.onLoop(log, () -> cursor.isTaken(offset) && !cursor.isAcked(offset));
    }

    @Test
    void requestsOfTheSameTransactionWaitForOneAnswer() throws Exception {
        Told first = ack(0);
        Told second = ack(1);
        assertThat(questions()).hasSize(1);
        assertThat(isPending(0)).isFalse();
        questions().getFirst().accept(null);
        assertThat(first.get()).isEqualTo("done");
        assertThat(second.get()).isEqualTo("done");
        assertThat(isPending(0)).isTrue();
        assertThat(isPending(1)).isTrue();
        assertThat(ack(2).get()).isEqualTo("done");
        assertThat(questions()).hasSize(1);
        assertThat(broker.<Integer>onLoop(log, () -> settled)).isEqualTo(1);
    }

    /** The transaction may be alice's alone, before she has acknowledged in it and after. */
    @Test
    void anotherUserIsAskedFor() throws Exception {
        Told first = ack(0);
        Told ofBob = ack(1, "bob");
        assertThat(questions()).hasSize(2);
        questions().getFirst().accept(null);
        assertThat(first.get()).isEqualTo("done");
        questions().getLast().accept(new Refusal(ServerError.TransactionNotFound, "planted"));
        assertThat(ofBob.get()).isEqualTo("TransactionNotFound");
        Told again = ack(2, "bob");
        assertThat(questions()).hasSize(3);
        questions().getLast().accept(new Refusal(ServerError.TransactionNotFound, "planted"));
        assertThat(again.get()).isEqualTo("TransactionNotFound");
        assertThat(isPending(1)).isFalse();
        assertThat(isPending(2)).isFalse();
    }

    @Test
    void requestsBehindARefusedOneAreRefused() throws Exception {
        Told first = ack(0);
        Told second = ack(1);
        questions().getFirst().accept(new Refusal(ServerError.TransactionNotFound, "planted"));
        assertThat(first.get()).isEqualTo("TransactionNotFound");
        assertThat(second.get()).isEqualTo("TransactionNotFound");
        assertThat(isPending(0)).isFalse();
    }

    /** Else they would be pending for ever. */
    @Test
    void anEndThatComesBeforeTheAnswerMakesItWorthless() throws Exception {
        Told first = ack(0);
        List<Consumer<@Nullable Refusal>> before = questions();
        broker.onLoop(log, () -> {
            log.subscriptions().endTransaction("s", TRANSACTION, 1, true, Durable.IGNORED);
            return true;
        });
        before.getFirst().accept(null);
        assertThat(questions()).hasSize(2);
        questions().getLast().accept(new Refusal(ServerError.TransactionNotFound, "planted"));
        assertThat(first.get()).isEqualTo("TransactionNotFound");
        assertThat(broker.<Boolean>onLoop(log, () -> cursor.hasPending(TRANSACTION)))
                .isFalse();
    }

    @Test
    void requestsThatWaitAreBounded() throws Exception {
        List<Told> all = new ArrayList<>();
        for (int i = 0; i < AckVerifications.MOST_WAITING; i++) {
            all.add(ack(i));
        }
        assertThat(ack(AckVerifications.MOST_WAITING).get()).isEqualTo("TooManyRequests");
        questions().getFirst().accept(null);
        for (Told told : all) {
            assertThat(told.get()).isEqualTo("done");
        }
        assertThat(ack(AckVerifications.MOST_WAITING).get()).isEqualTo("done");
    }

    @Test
    void aContainerThatStopsAnswersWhatWaits() throws Exception {
        Told first = ack(0);
        List<Consumer<@Nullable Refusal>> before = questions();
        broker.containers().stop(log.container().id());
        before.getFirst().accept(null);
        assertThat(first.get()).isEqualTo("failed");
    }

    private static final class NothingSettled implements Outstanding.Settled {
        @Override
        public void settled(Delivered d, int messages) {}

        @Override
        public void pending(Delivered d) {}

        @Override
        public void acknowledgedLate() {}
    }

    private static class Ignoring implements AppendReply {
        @Override
        public void appended(long baseOffset, long lastOffset) {}

        @Override
        public void duplicate(long baseOffset, long lastOffset) {}

        @Override
        public void rejected(AppendRejection why) {}

        @Override
        public void failed(StoreFailure why) {}
    }

    private static final class Completing extends Ignoring {
        private final CompletableFuture<Long> written;

        Completing(CompletableFuture<Long> written) {
            this.written = written;
        }

        @Override
        public void appended(long baseOffset, long lastOffset) {
            written.complete(lastOffset);
        }
    }
}
