package io.sluice.store.pressure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class SteadyLevelTest {
    private static final long SECOND = 1_000_000;
    private static final int PERIOD = 4;

    private final SteadyLevel level = new SteadyLevel();

    /** Rises by 10 a second, falls by 40 every four seconds. */
    private static long sawtooth(int second) {
        return 100 + 10L * (second % PERIOD);
    }

    @Test
    void whatFallsInStepsIsSeenToStay() {
        double lowest = Double.MAX_VALUE;
        double highest = 0;
        for (int second = 0; second < 600; second++) {
            double seen = level.see(second * SECOND, sawtooth(second));
            assertThat(seen).isGreaterThanOrEqualTo(sawtooth(second));
            if (second >= 120) {
                lowest = Math.min(lowest, seen);
                highest = Math.max(highest, seen);
            }
        }
        assertThat(highest - lowest).isLessThan(16);
        assertThat(highest).isCloseTo(140, within(10.0));
    }

    @Test
    void isSeenAsItIsWhenNobodyWaits() {
        for (int second = 0; second < 60; second++) {
            level.see(second * SECOND, sawtooth(second));
        }
        level.handOutAll();
        assertThat(level.see(60 * SECOND, 130)).isEqualTo(130);
    }

    @Test
    void whatCameBackOnceIsHandedOutThoughNothingFollows() {
        level.see(0, 1000);
        assertThat(level.see(SECOND, 200)).isEqualTo(1000);
        double before = 1000;
        for (int second = 2; second < 600; second++) {
            double seen = level.see(second * SECOND, 200);
            assertThat(seen).isLessThanOrEqualTo(before);
            before = seen;
        }
        assertThat(before).isCloseTo(200, within(1.0));
    }
}
