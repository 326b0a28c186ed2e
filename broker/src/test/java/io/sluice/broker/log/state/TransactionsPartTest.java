package io.sluice.broker.log.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.broker.TestEntries;
import io.sluice.broker.entry.EndMarker;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.entry.ProducerIds;
import io.sluice.broker.log.AppendRejection;
import io.sluice.broker.log.AppendRejection.InvalidTransaction;
import io.sluice.broker.log.AppendRejection.OutOfOrderSequence;
import io.sluice.broker.log.AppendRejection.StaleCoordinator;
import io.sluice.broker.log.AppendRejection.StaleProducerEpoch;
import io.sluice.broker.log.PartitionTransactions;
import io.sluice.broker.log.PartitionTransactions.Aborted;
import io.sluice.broker.log.PartitionTransactions.Producer;
import io.sluice.broker.log.PartitionTransactions.Verification;
import io.sluice.broker.log.ProducerLimits;
import io.sluice.broker.log.state.AppendVerdict.Accept;
import io.sluice.broker.log.state.AppendVerdict.Refuse;
import io.sluice.store.segment.LoopTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whose entries a partition takes, and what it says of transactions. */
class TransactionsPartTest {
    private static final long PRODUCER = 7;
    private static final short EPOCH = 3;

    private static final LoopTask NOTHING = LoopTask.of(() -> {});

    private long others = 1_000;
    private PartitionState state = new PartitionState(ProducerLimits.DEFAULT, 0, 1);

    private PartitionTransactions transactions() {
        return state.transactions();
    }

    private static ByteBuf batch(long producer, int epoch, int sequence) {
        return TestEntries.kafka(producer, (short) epoch, sequence, 1, 10, 100).setShort(21, EntryHeader.TRANSACTIONAL);
    }

    private static ByteBuf marker(long producer, int epoch, int coordinator, boolean commit) {
        return EndMarker.entry(UnpooledByteBufAllocator.DEFAULT, producer, (short) epoch, coordinator, commit, 100);
    }

    private AppendVerdict append(ByteBuf entry) {
        AppendVerdict verdict = state.decide(entry);
        if (verdict == Accept.ACCEPT) {
            EntryHeader.assign(entry, 0, state.nextOffset(), 1);
            state.applyAppend(state.endPosition(), entry);
        }
        entry.release();
        return verdict;
    }

    private void begin(long producer, int epoch) {
        Verification asked = transactions().verify(producer, (short) epoch);
        assertThat(transactions().verified(asked)).isTrue();
    }

    private static void isRefused(AppendVerdict verdict, Class<? extends AppendRejection> why) {
        assertThat(verdict)
                .isInstanceOfSatisfying(
                        Refuse.class, refuse -> assertThat(refuse.why()).isInstanceOf(why));
    }

    @Test
    void aTransactionThatNobodyKnowsOfDoesNotBegin() {
        isRefused(append(batch(PRODUCER, EPOCH, 0)), InvalidTransaction.class);
        transactions().verify(PRODUCER, EPOCH);
        isRefused(append(batch(PRODUCER, EPOCH, 0)), InvalidTransaction.class);
        begin(PRODUCER, EPOCH);
        isRefused(append(batch(PRODUCER, EPOCH + 1, 0)), InvalidTransaction.class);
        assertThat(append(batch(PRODUCER, EPOCH, 0))).isEqualTo(Accept.ACCEPT);
        assertThat(transactions().isOpen(PRODUCER, EPOCH)).isTrue();
        assertThat(append(batch(PRODUCER, EPOCH, 1))).isEqualTo(Accept.ACCEPT);
        isRefused(append(TestEntries.kafka(PRODUCER, EPOCH, 2, 1, 10, 100)), InvalidTransaction.class);
    }

    /** Else what comes after an entry that was refused, and is sent again, would take its place. */
    @Test
    void aProducerBeginsWithTheFirstSequenceThatWasOnItsWay() {
        transactions().verify(PRODUCER, EPOCH).beginsWith(4);
        Verification asked = transactions().verify(PRODUCER, EPOCH);
        asked.beginsWith(5);
        assertThat(transactions().verified(asked)).isTrue();
        isRefused(append(batch(PRODUCER, EPOCH, 5)), OutOfOrderSequence.class);
        assertThat(append(batch(PRODUCER, EPOCH, 4))).isEqualTo(Accept.ACCEPT);
        assertThat(append(batch(PRODUCER, EPOCH, 5))).isEqualTo(Accept.ACCEPT);
        begin(PRODUCER + 1, EPOCH);
        assertThat(append(batch(PRODUCER + 1, EPOCH, 5))).isEqualTo(Accept.ACCEPT);
    }

    /** Else the entry would open a transaction that nobody ends any more. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anAnswerCountsForNothingOnceTheTransactionHasEnded(boolean answeredBefore) {
        Verification asked = transactions().verify(PRODUCER, EPOCH);
        if (answeredBefore) {
            assertThat(transactions().verified(asked)).isTrue();
        }
        assertThat(append(marker(PRODUCER, EPOCH, 1, false))).isEqualTo(Accept.ACCEPT);
        if (!answeredBefore) {
            assertThat(transactions().verified(asked)).isFalse();
        }
        isRefused(append(batch(PRODUCER, EPOCH, 0)), InvalidTransaction.class);
    }

    /** Entries that come after the marker have to wait behind those that came before it. */
    @Test
    void aQuestionThatSomebodyWaitsForOutlivesTheMarkerWhichMakesItsAnswerWorthless() {
        Verification asked = transactions().verify(PRODUCER, EPOCH);
        asked.askedBy(NOTHING);
        assertThat(append(marker(PRODUCER, EPOCH, 1, false))).isEqualTo(Accept.ACCEPT);
        assertThat(transactions().verify(PRODUCER, EPOCH)).isSameAs(asked);
        asked.answered();
        assertThat(transactions().verified(asked)).isFalse();
        isRefused(append(batch(PRODUCER, EPOCH, 0)), InvalidTransaction.class);
        assertThat(transactions().verify(PRODUCER, EPOCH)).isNotSameAs(asked);
        assertThat(transactions().verified(asked)).isFalse();
    }

    /** Nothing comes after the end of a transaction whose id is its own. */
    @Test
    void anIdOfOneTransactionLeavesNothingBehind() {
        long id = ProducerIds.single(5);
        ByteBuf entry = TestEntries.pulsarIn(id, EntryHeader.NO_PRODUCER, 0, 2, 10, 100);
        isRefused(append(entry.copy()), InvalidTransaction.class);
        begin(id, 0);
        assertThat(append(entry)).isEqualTo(Accept.ACCEPT);
        assertThat(transactions().isOpen(id, (short) 0)).isTrue();
        isRefused(append(batch(id, 0, 0)), InvalidTransaction.class);
        assertThat(append(marker(id, 0, 1, true))).isEqualTo(Accept.ACCEPT);
        assertThat(append(marker(id, 0, 0, true))).isEqualTo(Accept.ACCEPT);
        assertThat(transactions().producers()).isEmpty();
        assertThat(state.trackedProducers()).isZero();
    }

    @Test
    void anEntryMustNameATransactionOfItsOwnKind() {
        isRefused(
                append(TestEntries.pulsarIn(5, EntryHeader.NO_PRODUCER, 0, 1, 10, 100)),
                AppendRejection.Malformed.class);
        ByteBuf short1 = TestEntries.pulsarIn(ProducerIds.single(5), EntryHeader.NO_PRODUCER, 0, 1, 0, 100);
        short1.writerIndex(short1.writerIndex() - 1).setInt(8, short1.readableBytes() - EntryHeader.LENGTH_OVERHEAD);
        isRefused(append(short1), AppendRejection.Malformed.class);
    }

    @Test
    void aCoordinatorThatWasOvertakenEndsNothing() {
        begin(PRODUCER, EPOCH);
        append(batch(PRODUCER, EPOCH, 0));
        append(marker(PRODUCER, EPOCH, 5, true));
        begin(PRODUCER, EPOCH);
        append(batch(PRODUCER, EPOCH, 1));
        isRefused(append(marker(PRODUCER, EPOCH, 4, true)), StaleCoordinator.class);
        isRefused(append(marker(PRODUCER, EPOCH - 1, 5, true)), StaleProducerEpoch.class);
        assertThat(transactions().isOpen(PRODUCER, EPOCH)).isTrue();
        state = restarted();
        isRefused(append(marker(PRODUCER, EPOCH, 4, true)), StaleCoordinator.class);
        assertThat(transactions().producers()).containsExactly(new Producer(PRODUCER, EPOCH, 1, 0, 5, 2));
        assertThat(append(marker(PRODUCER, EPOCH + 1, 5, true))).isEqualTo(Accept.ACCEPT);
        assertThat(transactions().producers())
                .containsExactly(new Producer(PRODUCER, (short) (EPOCH + 1), -1, 0, 5, -1));
    }

    private PartitionState restarted() {
        ByteBuf snapshot = Unpooled.buffer();
        PartitionSnapshot.write(state.parts(), snapshot);
        PartitionState again = new PartitionState(ProducerLimits.DEFAULT, 0, 1);
        PartitionSnapshot.read(snapshot, again, new ExclusiveWriter());
        return again;
    }

    @Test
    void abortedTransactionsAreToldForTheOffsetsThatTheyHave() {
        begin(1, 0);
        begin(2, 0);
        begin(3, 0);
        append(batch(1, 0, 0)); // 0
        append(batch(2, 0, 0)); // 1
        append(batch(3, 0, 0)); // 2
        append(marker(2, 0, 1, false)); // 3
        append(marker(3, 0, 1, true)); // 4
        append(batch(1, 0, 1)); // 5
        append(marker(1, 0, 1, false)); // 6
        for (int round = 0; round < 2; round++) {
            assertThat(transactions().abortedIn(0, 7)).containsExactly(new Aborted(2, 1), new Aborted(1, 0));
            assertThat(transactions().abortedIn(0, 1)).containsExactly(new Aborted(1, 0));
            assertThat(transactions().abortedIn(3, 5)).containsExactly(new Aborted(2, 1), new Aborted(1, 0));
            assertThat(transactions().abortedIn(4, 5)).containsExactly(new Aborted(1, 0));
            assertThat(transactions().abortedIn(7, 8)).isEmpty();
            state = restarted();
        }
        state.applyNote(new PartitionNote.Start(4, 4, 0));
        assertThat(transactions().abortedIn(0, 7)).containsExactly(new Aborted(1, 0));
    }

    /** Else its batch that is sent again is taken twice, and the marker of a coordinator that was overtaken ends what it has open. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aProducerIsNotForgottenWhileItsTransactionIsOpen(boolean byTime) {
        state = new PartitionState(new ProducerLimits(4, 1000), 0, 1);
        state.applyNote(new PartitionNote.Clock(1_000_000));
        begin(PRODUCER, EPOCH);
        append(batch(PRODUCER, EPOCH, 0));
        append(marker(PRODUCER, EPOCH, 5, true));
        begin(PRODUCER, EPOCH);
        append(batch(PRODUCER, EPOCH, 1));
        forgetOthers(byTime);
        isRefused(append(marker(PRODUCER, EPOCH, 4, true)), StaleCoordinator.class);
        assertThat(append(batch(PRODUCER, EPOCH, 1))).isInstanceOf(AppendVerdict.Duplicate.class);
        state = restarted();
        forgetOthers(byTime);
        isRefused(append(marker(PRODUCER, EPOCH, 4, true)), StaleCoordinator.class);
        assertThat(append(batch(PRODUCER, EPOCH, 1))).isInstanceOf(AppendVerdict.Duplicate.class);
        append(marker(PRODUCER, EPOCH, 5, true));
        forgetOthers(byTime);
        assertThat(transactions().producers()).noneMatch(each -> each.producerId() == PRODUCER);
    }

    private void forgetOthers(boolean byTime) {
        for (int i = 0; i < 20_000 && !byTime; i++) {
            append(TestEntries.kafka(others++, (short) 0, 0, 1, 0, 100));
        }
        if (byTime) {
            append(TestEntries.kafka(others++, (short) 0, 0, 1, 0, 100));
            state.applyNote(new PartitionNote.Clock(state.clock().now() + 200_000_000));
            assertThat(transactions().producers()).noneMatch(each -> each.producerId() == others - 1);
        }
    }

    @Test
    void noMoreTransactionsAreOpenThanProducersAreRemembered() {
        state = new PartitionState(new ProducerLimits(4, 1000), 0, 1);
        for (int producer = 1; producer <= 3; producer++) {
            begin(producer, 0);
        }
        append(batch(1, 0, 0));
        append(batch(2, 0, 0));
        isRefused(append(batch(3, 0, 0)), InvalidTransaction.class);
        append(marker(1, 0, 0, true));
        assertThat(append(batch(3, 0, 0))).isEqualTo(Accept.ACCEPT);
    }

    /** A tool that looks for transactions which hang must find them. */
    @Test
    void aProducerWithAnOpenTransactionIsListed() {
        state = new PartitionState(new ProducerLimits(1, 1000), 0, 1);
        begin(1, 0);
        append(batch(1, 0, 0));
        append(TestEntries.kafka(2, (short) 0, 0, 1, 10, 100));
        assertThat(transactions().producers()).containsExactly(new Producer(1, (short) 0, 0, 0, -1, 0));
    }

    @Test
    void aTerminatedPartitionTakesMarkers() {
        begin(1, 0);
        append(batch(1, 0, 0));
        state.applyNote(new PartitionNote.Terminated());
        isRefused(append(batch(1, 0, 1)), AppendRejection.Terminated.class);
        assertThat(append(marker(1, 0, 1, true))).isEqualTo(Accept.ACCEPT);
    }
}
