package io.sluice.broker.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.store.segment.Durable;
import java.util.BitSet;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class VolatileCursorTest {
    @Test
    void agreesWithASetOfOffsets() {
        Random random = new Random(5);
        for (int round = 0; round < 200; round++) {
            VolatileCursor cursor = new VolatileCursor("c", 10, Map.of());
            BitSet acked = new BitSet();
            acked.set(0, 10);
            for (int i = 0; i < 60; i++) {
                int from = random.nextInt(120);
                int to = from + random.nextInt(6);
                if (random.nextInt(12) == 0) {
                    cursor.ackUpTo(from, Durable.IGNORED);
                    acked.set(0, from + 1);
                } else {
                    cursor.ack(from, to, Durable.IGNORED);
                    acked.set(from, to + 1);
                }
                assertThat(cursor.ackedBelow()).isEqualTo(acked.nextClearBit(0));
                assertThat(cursor.ackedAbove()).isEqualTo(acked.cardinality() - acked.nextClearBit(0));
            }
            for (int o = 10; o < 130; o++) {
                assertThat(cursor.isAcked(o)).isEqualTo(acked.get(o));
                assertThat(cursor.nextUnacked(o)).isEqualTo(acked.nextClearBit(o));
            }
        }
    }

    @Test
    void seekForgets() {
        VolatileCursor cursor = new VolatileCursor("c", 0, Map.of());
        cursor.ack(5, 9, Durable.IGNORED);
        cursor.seek(3, Durable.IGNORED);
        assertThat(cursor.ackedBelow()).isEqualTo(3);
        assertThat(cursor.ackedAbove()).isZero();
        assertThat(cursor.isAcked(6)).isFalse();
    }

    @Test
    void holdsAMillionGapsAndRefusesWhatItsMemoryCannot() {
        VolatileCursor cursor = new VolatileCursor("c", 0, Map.of());
        int[] answers = new int[2];
        Durable counting = Durable.of(() -> answers[0]++, why -> answers[1]++);
        for (long i = 1; i <= 1_000_000; i++) {
            cursor.ack(2 * i, 2 * i, counting);
        }
        assertThat(cursor.ackedRanges()).isEqualTo(1_000_000);
        assertThat(answers).containsExactly(1_000_000, 0);
        for (long i = 2; i <= 10_000; i++) {
            cursor.ack(i << 20, i << 20, counting);
        }
        assertThat(answers[1]).isPositive();
        assertThat(cursor.ackedAbove()).isEqualTo(answers[0]);
        cursor.ackUpTo(1 << 20, counting);
        cursor.ack(1L << 40, 1L << 40, counting);
        assertThat(cursor.isAcked(1L << 40)).isTrue();
    }
}
