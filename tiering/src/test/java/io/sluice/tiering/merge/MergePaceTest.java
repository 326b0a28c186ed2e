package io.sluice.tiering.merge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import org.junit.jupiter.api.Test;

class MergePaceTest {
    private static final long MERGE = 16 << 20;
    private static final long LEAST = 4 << 20;
    private static final long TIME = 600_000;

    private final MergePace pace = new MergePace(LEAST, TIME);
    private long now = 1_000_000;
    private long waiting;

    /** Bytes of merges begun in so many seconds, while so much is flushed in each. */
    private long merged(int seconds, long flushedPerSecond) {
        long merged = 0;
        for (int milli = 0; milli < seconds * 1_000; milli++) {
            now++;
            waiting += flushedPerSecond / 1_000;
            if (pace.mayBegin(now)) {
                pace.begun(now, MERGE, waiting);
                waiting = Math.max(0, waiting - MERGE);
                merged += MERGE;
            }
        }
        return merged;
    }

    @Test
    void goesAtTheLeastRateWhileNothingWaits() {
        assertThat(merged(600, 0)).isCloseTo(600 * LEAST, withinPercentage(1));
    }

    @Test
    void aBurstIsMergedAfterIt() {
        long burst = 30 * 500_000_000L;
        assertThat(merged(30, 500_000_000)).isLessThan(burst / 20);
        assertThat(merged(1_800, 0)).isGreaterThan(burst * 9 / 10);
    }

    @Test
    void aLoadThatLastsIsMergedAsFastAsItComes() {
        merged(3_000, 100_000_000);
        assertThat(merged(600, 100_000_000)).isCloseTo(600 * 100_000_000L, withinPercentage(2));
    }
}
