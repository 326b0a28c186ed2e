package io.sluice.broker.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.store.segment.Durable;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Skipping messages takes a step per acknowledged range, and comes to where a step per message would. */
class CursorSkipTest {
    private static final int OFFSETS = 300;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void comesToWhereAStepPerMessageWould(long seed) {
        Random random = new Random(seed);
        Cursor cursor = new VolatileCursor("s", random.nextInt(10), Map.of());
        for (int i = 0; i < 60; i++) {
            int first = random.nextInt(OFFSETS);
            cursor.ack(first, first + random.nextInt(4), Durable.IGNORED);
        }
        for (int messages = 0; messages < 100; messages++) {
            long expected = cursor.nextUnacked(0);
            for (int i = 0; i < messages; i++) {
                expected = cursor.nextUnacked(expected + 1);
            }
            assertThat(cursor.afterUnacked(0, messages)).isEqualTo(expected);
        }
    }

    @Test
    void billionsOfMessagesAreAFewSteps() {
        Cursor cursor = new VolatileCursor("s", 0, Map.of());
        cursor.ack(10, 19, Durable.IGNORED);
        assertThat(cursor.afterUnacked(0, 1L << 50)).isEqualTo((1L << 50) + 10);
    }
}
