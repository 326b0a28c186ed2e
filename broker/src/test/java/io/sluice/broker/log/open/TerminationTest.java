package io.sluice.broker.log.open;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.broker.TestEntries;
import io.sluice.broker.entry.EndMarker;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.Answers;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionAttributes;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.ProducerLimits;
import io.sluice.broker.log.SegmentKinds;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.InMemoryContainers;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A partition that takes nothing more. */
class TerminationTest {
    private static final long SEGMENT = 42;

    private final OpenPartitions open = new OpenPartitions();
    private final InMemoryContainers containers = InMemoryContainers.callerDriven(
            1, new PartitionRiderFactory(ProducerLimits.DEFAULT, open), () -> 1_000_000);
    private final Answers answers = new Answers();

    @BeforeEach
    void aPartitionInALogThatDefersTheSync() {
        containers.start();
        containers.stop(0);
        containers.defer(0);
        containers.start(0);
        ByteBuf attributes = Unpooled.buffer();
        new PartitionAttributes("t", new UUID(1, 2), 0).write(attributes);
        containers.get(0).create(SEGMENT, SegmentKinds.PARTITION, attributes, Durable.IGNORED);
        containers.drain();
        containers.get(0).sync();
    }

    @AfterEach
    void nothingIsLeftPinned() {
        assertThat(containers.lentBuffers()).isZero();
        containers.close();
    }

    private PartitionLog log() {
        PartitionLog found = open.find(SEGMENT);
        if (found == null) {
            throw new AssertionError("the partition is not open");
        }
        return found;
    }

    private String next() {
        containers.drain();
        String next = answers.next();
        return next == null ? "nothing" : next;
    }

    private void terminate() {
        log().terminate(answers);
        assertThat(next()).isEqualTo("durable");
    }

    @Test
    void takesNoEntryAnyMoreAndIsRead() {
        log().append(TestEntries.kafka(5, (short) 0, 0, 2, 10, 1), answers);
        assertThat(next()).isEqualTo("appended 0..1");
        log().await(2, Isolation.UNCOMMITTED, answers);
        terminate();
        assertThat(log().isTerminated()).isTrue();

        log().append(TestEntries.plain(1, 10, 1), answers);
        assertThat(next()).isEqualTo("rejected Terminated");
        log().append(TestEntries.kafka(5, (short) 0, 0, 2, 10, 1), answers);
        assertThat(next()).isEqualTo("duplicate 0..1");
        log().read(0, 1_000, Isolation.UNCOMMITTED, answers);
        assertThat(next()).endsWith("next 2");
        assertThat(log().durableEnd()).isEqualTo(2);
    }

    @Test
    void isCompleteWhenItsTransactionsHaveEnded() {
        var transactions = log().transactions();
        assertThat(transactions.verified(transactions.verify(5, (short) 0))).isTrue();
        log().append(TestEntries.kafka(5, (short) 0, 0, 1, 10, 1).setShort(21, EntryHeader.TRANSACTIONAL), answers);
        assertThat(next()).isEqualTo("appended 0..0");
        assertThat(log().isComplete()).isFalse();
        terminate();
        assertThat(log().isTerminated()).isTrue();
        assertThat(log().isComplete()).isFalse();
        containers.get(0).sync();
        containers.restart();
        assertThat(log().isComplete()).isFalse();

        log().append(EndMarker.entry(UnpooledByteBufAllocator.DEFAULT, 5, (short) 0, 1, true, 1), answers);
        assertThat(log().isComplete()).as("before it is durable").isFalse();
        assertThat(next()).isEqualTo("appended 1..1");
        assertThat(log().isComplete()).isTrue();
    }

    @Test
    void againIsANoOp() {
        terminate();
        terminate();
        assertThat(log().isTerminated()).isTrue();
    }

    @Test
    void isForEver() {
        terminate();
        containers.get(0).sync();
        containers.restart();
        assertThat(log().isTerminated()).isTrue();
        log().append(TestEntries.plain(1, 10, 1), answers);
        assertThat(next()).isEqualTo("rejected Terminated");
    }

    /** Others are told of it, and go on elsewhere: the loss of a machine may not take it back. */
    @Test
    void isToldWhenNoFailureCanTakeItBack() {
        log().terminate(answers);
        String told = null;
        while (told == null) {
            assertThat(log().isTerminated()).isFalse();
            containers.doWork();
            told = answers.next();
        }
        assertThat(told).isEqualTo("durable");
        containers.crashMachine(0);
        assertThat(log().isTerminated()).isTrue();
    }

    @Test
    void isNotToldOfOneThatWasLost() {
        log().terminate(answers);
        containers.doWork();
        assertThat(answers.next()).isNull();
        containers.crashMachine(0);
        assertThat(answers.next()).isEqualTo("failed NotOwner");
        assertThat(log().isTerminated()).isFalse();
        log().append(TestEntries.plain(1, 10, 1), answers);
        assertThat(next()).isEqualTo("appended 0..0");
    }
}
