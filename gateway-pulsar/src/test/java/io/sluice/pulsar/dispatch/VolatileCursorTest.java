package io.sluice.pulsar.dispatch;

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
}
