package io.sluice.broker.log.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;

class MessageLedgersTest {
    private static final long PARTITION = 7;
    private static final long START = 100;
    private static final long END = 200;

    private final MessageLedgers ledgers = new MessageLedgers(() -> true);

    private long start(long ledger, long entry) {
        return Math.clamp(ledgers.offsetOf(ledger - PARTITION, entry), START, END);
    }

    private void begin(long offset, int epoch) {
        ledgers.note(new PartitionNote.Ledger(offset, epoch));
    }

    private static long above(int epoch) {
        return (long) epoch << 32;
    }

    @Test
    void knowsTheEnds() {
        assertThat(start(-1, -1)).isEqualTo(100);
        assertThat(start(Long.MAX_VALUE, Long.MAX_VALUE)).isEqualTo(200);
    }

    @Test
    void entryIdsAreOffsetsOfThePartition() {
        assertThat(start(PARTITION, 150)).isEqualTo(150);
        assertThat(start(PARTITION, 20)).isEqualTo(100);
        assertThat(start(PARTITION, 900)).isEqualTo(200);
    }

    @Test
    void idsOfOtherPartitionsLieBeforeOrAfter() {
        assertThat(start(PARTITION - 1, 150)).isEqualTo(100);
        assertThat(start(PARTITION + 1, 150)).isEqualTo(200);
    }

    @Test
    void aLostIdMeansWhereItsLedgerEnds() {
        begin(120, 4);
        begin(150, 6);
        assertThat(start(PARTITION + above(4), 149)).isEqualTo(149);
        assertThat(start(PARTITION + above(4), 170)).isEqualTo(150);
        assertThat(start(PARTITION + above(6), 170)).isEqualTo(170);
        assertThat(start(PARTITION, 170)).isEqualTo(120);
    }

    @Test
    void aLedgerThatIsLostAsAWholeLiesBeforeTheNextOne() {
        begin(120, 4);
        begin(150, 6);
        assertThat(start(PARTITION + above(5), 190)).isEqualTo(150);
        assertThat(start(PARTITION + above(7), 190)).isEqualTo(200);
    }

    @Test
    void eachOffsetHasTheLedgerOfItsTerm() {
        begin(120, 4);
        begin(150, 6);
        assertThat(ledgers.at(0)).isZero();
        assertThat(ledgers.at(119)).isZero();
        assertThat(ledgers.at(120)).isEqualTo(above(4));
        assertThat(ledgers.at(149)).isEqualTo(above(4));
        assertThat(ledgers.at(150)).isEqualTo(above(6));
        assertThat(ledgers.at(Long.MAX_VALUE)).isEqualTo(above(6));
    }

    @Test
    void aTermOfWhichNothingIsLeftHasNoLedger() {
        begin(0, 3);
        begin(0, 5);
        begin(150, 6);
        begin(150, 8);
        assertThat(ledgers.at(0)).isEqualTo(above(5));
        assertThat(ledgers.at(150)).isEqualTo(above(8));
        assertThat(start(PARTITION + above(6), 150)).isEqualTo(150);
    }

    @Test
    void anEarlierEpochBeginsNothing() {
        begin(120, 4);
        begin(150, 4);
        begin(160, 3);
        assertThat(ledgers.at(170)).isEqualTo(above(4));
    }

    @Test
    void retentionForgetsLedgers() {
        begin(120, 4);
        begin(150, 6);
        ledgers.note(new PartitionNote.Start(150, 150, 15_000));
        assertThat(ledgers.at(150)).isEqualTo(above(6));
        assertThat(start(PARTITION + above(4), 130)).isEqualTo(150);
        assertThat(ledgers.isEmpty()).isFalse();
    }

    @Test
    void rememberAsManyAsThereIsRoomForUnderNoLedgerThatWasGivenOut() {
        for (int epoch = 1; epoch <= MessageLedgers.BOUND + 9; epoch++) {
            begin(epoch * 10L, epoch);
        }
        // ten runs are the oldest one's: offsets below 100 never had its ledger
        assertThat(ledgers.at(0)).isEqualTo(above(10));
        assertThat(ledgers.at(95)).isEqualTo(above(10));
        assertThat(ledgers.at(109)).isEqualTo(above(10));
        assertThat(ledgers.at(110)).isEqualTo(above(11));
        assertThat(ledgers.at(Long.MAX_VALUE)).isEqualTo(above(MessageLedgers.BOUND + 9));
    }

    @Test
    void theHighestLedgerIsNotNegative() {
        begin(10, MessageLedgers.LAST_EPOCH);
        assertThat(ledgers.at(10)).isPositive();
    }

    @Test
    void aSnapshotHoldsAll() {
        assertThat(ledgers.isEmpty()).isTrue();
        begin(120, 4);
        begin(150, 6);
        ByteBuf bytes = Unpooled.buffer();
        ledgers.snapshot(bytes);
        MessageLedgers restored = new MessageLedgers(() -> true);
        restored.restore(ledgers.version(), bytes);
        assertThat(bytes.isReadable()).isFalse();
        for (long offset = 0; offset < 200; offset++) {
            assertThat(restored.at(offset)).isEqualTo(ledgers.at(offset));
        }
        bytes.clear();
        restored.snapshot(bytes);
        assertThat(bytes.isReadable()).isTrue();
    }
}
