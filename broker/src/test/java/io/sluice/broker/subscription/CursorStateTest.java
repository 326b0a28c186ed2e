package io.sluice.broker.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CursorStateTest {
    private static final int OFFSETS = 300;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void isWhatASetOfOffsetsSays(long seed) {
        Random random = new Random(seed);
        BitSet model = new BitSet();
        CursorState state = new CursorState(0);
        for (int i = 0; i < 2_000; i++) {
            int from = random.nextInt(OFFSETS);
            int to = Math.min(OFFSETS, from + random.nextInt(5));
            switch (random.nextInt(100)) {
                case 0 -> {
                    model.clear();
                    model.set(0, from);
                    state.seek(from);
                }
                case 1 -> {
                    model.set(0, from + 1);
                    state.ackUpTo(from);
                }
                case 2 -> state = copy(state);
                default -> {
                    int bound = state.rangesWith(from, to);
                    model.set(from, to + 1);
                    state.ack(from, to);
                    assertThat(state.ranges()).isLessThanOrEqualTo(bound);
                }
            }
            check(state, model, random.nextInt(OFFSETS));
        }
    }

    private static void check(CursorState state, BitSet model, int from) {
        int below = model.nextClearBit(0);
        assertThat(state.ackedBelow()).isEqualTo(below);
        assertThat(state.ackedAbove()).isEqualTo(model.cardinality() - below);
        assertThat(state.nextUnacked(from)).isEqualTo(model.nextClearBit(from));
        assertThat(state.isAcked(from)).isEqualTo(model.get(from));
        int ranges = 0;
        for (int i = model.nextSetBit(below); i >= 0; i = model.nextSetBit(model.nextClearBit(i))) {
            ranges++;
        }
        assertThat(state.ranges()).isEqualTo(ranges);
    }

    private static CursorState copy(CursorState state) {
        ByteBuf out = Unpooled.buffer();
        state.write(out);
        CursorState copy = CursorState.read(out);
        assertThat(out.isReadable()).isFalse();
        return copy;
    }
}
