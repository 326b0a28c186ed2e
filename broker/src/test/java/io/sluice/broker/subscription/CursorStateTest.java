package io.sluice.broker.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.Packed;
import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CursorStateTest {
    /** One piece, some, and so many that most are far apart. */
    private static final int[] SIZES = {300, 5 * AckedPiece.SIZE / 2, 50 * AckedPiece.SIZE};

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void isWhatASetOfOffsetsSays(long seed) {
        Random random = new Random(seed);
        int offsets = SIZES[random.nextInt(SIZES.length)];
        BitSet model = new BitSet();
        CursorState state = new CursorState(0);
        for (int i = 0; i < 3_000; i++) {
            int from = random.nextInt(offsets);
            int to = Math.min(offsets, from + length(random, offsets));
            switch (random.nextInt(200)) {
                case 0 -> {
                    model.clear();
                    model.set(0, from);
                    state.seek(from);
                }
                case 1 -> {
                    int upTo = model.nextClearBit(0) + random.nextInt(1 + offsets / 20);
                    model.set(0, upTo + 1);
                    state.ackUpTo(upTo);
                }
                case 2 -> state = copy(state);
                default -> {
                    int before = state.ranges();
                    boolean adds = state.addsRange(from, to);
                    model.set(from, to + 1);
                    state.ack(from, to);
                    assertThat(state.ranges() > before).isEqualTo(adds);
                }
            }
            check(state, model, random.nextInt(offsets), random.nextInt(offsets));
        }
    }

    private static int length(Random random, int offsets) {
        return switch (random.nextInt(50)) {
            case 0 -> random.nextInt(offsets / 3);
            case 1, 2, 3 -> random.nextInt(1 + offsets / 100);
            default -> random.nextInt(5);
        };
    }

    private static void check(CursorState state, BitSet model, int a, int b) {
        int below = model.nextClearBit(0);
        assertThat(state.ackedBelow()).isEqualTo(below);
        assertThat(state.ackedAbove()).isEqualTo(model.cardinality() - below);
        assertThat(state.nextUnacked(a)).isEqualTo(model.nextClearBit(a));
        assertThat(state.nextAckedAbove(a)).isEqualTo(model.nextSetBit(Math.max(a, below)));
        assertThat(state.isAcked(a)).isEqualTo(model.get(a));
        int from = Math.min(a, b);
        int to = Math.max(a, b);
        int acked = model.get(from, to + 1).cardinality();
        assertThat(state.countAcked(from, to)).isEqualTo(acked);
        int last = model.previousClearBit(to);
        if (last >= from) {
            assertThat(state.afterUnacked(from, (long) last - from - acked + (to - last)))
                    .isEqualTo(last);
        }
        int ranges = 0;
        for (int i = model.nextSetBit(below); i >= 0; i = model.nextSetBit(model.nextClearBit(i))) {
            ranges++;
        }
        assertThat(state.ranges()).isEqualTo(ranges);
    }

    private static CursorState copy(CursorState state) {
        ByteBuf out = Unpooled.buffer();
        state.write(out, Integer.MAX_VALUE);
        CursorState copy = CursorState.read(out);
        assertThat(out.isReadable()).isFalse();
        return copy;
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 100, 1000})
    void holdsAMillionGaps(int distance) {
        CursorState state = new CursorState(0);
        int gaps = 1_000_000;
        for (long i = 1; i <= gaps; i++) {
            state.ack(i * distance, i * distance + distance / 3);
        }
        assertThat(state.ranges()).isEqualTo(gaps);
        assertThat(state.bytes()).isLessThan(8 << 20);
        ByteBuf out = Unpooled.buffer();
        state.write(out, DurableCursor.MOST_CHECKPOINT_BYTES);
        CursorState copy = CursorState.read(out);
        assertThat(copy.ackedAbove()).isEqualTo(state.ackedAbove());
        assertThat(copy.ranges()).isEqualTo(gaps);
    }

    @Test
    void aMillionGapsAmongNeighboursTakeAQuarterOfAMiB() {
        CursorState state = new CursorState(0);
        for (long i = 1; i <= 1_000_000; i++) {
            state.ack(2 * i, 2 * i);
        }
        assertThat(state.bytes()).isLessThan(270_000);
    }

    @Test
    void oneGapBeforeAnythingTakesNoMore() {
        CursorState state = new CursorState(0);
        long end = 1L << 45;
        state.ack(1, end);
        state.ack(end + 2, end + 2);
        assertThat(state.ranges()).isEqualTo(2);
        assertThat(state.bytes()).isLessThan(2_000);
        assertThat(state.nextUnacked(1)).isEqualTo(end + 1);
        assertThat(state.nextAckedAbove(7)).isEqualTo(7);
        assertThat(state.nextAckedAbove(end + 1)).isEqualTo(end + 2);
        assertThat(state.nextAckedAbove(end + 3)).isEqualTo(-1);
        for (long i = end + 3; i < end + 10 * AckedPiece.SIZE; i++) {
            state.ack(i, i);
        }
        assertThat(state.bytes()).isLessThan(20_000);
        state.ack(end + 1, end + 1);
        assertThat(state.ranges()).isOne();
        assertThat(state.bytes()).isLessThan(10_000);
        state.ack(0, 0);
        assertThat(state.ackedBelow()).isEqualTo(end + 10 * AckedPiece.SIZE);
        assertThat(state.bytes()).isZero();
    }

    @Test
    void whatDoesNotFitIsLeftOutFromTheEnd() {
        CursorState state = new CursorState(0);
        for (long i = 1; i <= 500_000; i++) {
            state.ack(i * 40, i * 40);
        }
        ByteBuf out = Unpooled.buffer();
        state.write(out, 100_000);
        assertThat(out.readableBytes()).isBetween(90_000, 100_010);
        CursorState copy = CursorState.read(out);
        long kept = copy.ackedAbove();
        assertThat(kept).isBetween(40_000L, 50_000L);
        for (long i = 1; i <= 500_000; i++) {
            assertThat(copy.isAcked(i * 40)).isEqualTo(i <= kept);
        }
    }

    @Test
    void readsWhatTheFirstVersionWrote() {
        OffsetRanges ranges = new OffsetRanges();
        for (int i = 0; i < 100; i++) {
            ranges.add(20 + 10L * i, 25 + 10L * i);
        }
        ByteBuf out = Unpooled.buffer();
        Packed.writeUnsigned(out, 10);
        ranges.write(out, 10);
        CursorState state = CursorState.readRanges(out);
        assertThat(out.isReadable()).isFalse();
        assertThat(state.ackedBelow()).isEqualTo(10);
        assertThat(state.ranges()).isEqualTo(100);
        assertThat(state.ackedAbove()).isEqualTo(600);
        assertThat(state.isAcked(25)).isTrue();
        assertThat(state.isAcked(26)).isFalse();
    }
}
