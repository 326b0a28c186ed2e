package io.sluice.broker.coordination;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class CoordinatorLogSimTest {
    private static final int SEEDS = Integer.getInteger("sim.coordinatorLogs", 40);
    private static final int EVENTS = 300;

    @Test
    void writesThatRaceRewritesAndCrashesAreReplayedAsAcknowledged() {
        int truncations = LongStream.rangeClosed(1, SEEDS)
                .mapToInt(CoordinatorLogSimTest::run)
                .sum();

        assertThat(truncations).as("rewrites that were finished").isGreaterThan(SEEDS);
    }

    private static int run(long seed) {
        try (CoordinatorLogSim sim = new CoordinatorLogSim(seed)) {
            return sim.run(EVENTS);
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
        }
    }
}
