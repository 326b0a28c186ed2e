package io.sluice.broker.coordination;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class CoordinatorLogSimTest {
    private static final int SEEDS = Integer.getInteger("sim.coordinatorLogs", 40);
    private static final int EVENTS = 300;

    @Test
    void writesAndLoadsBetweenCompactionsAndCrashesAreReplayedAsAcknowledged() throws Exception {
        int compactions = run(false);

        assertThat(compactions).isGreaterThan(SEEDS);
    }

    @Test
    void aTombstoneThatGoesDuringALoadIsFound() {
        assertThatThrownBy(() -> run(true)).isInstanceOf(AssertionError.class).hasMessageContaining("but it is");
    }

    private static int run(boolean tombstonesGo) throws Exception {
        int compactions = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            try (CoordinatorLogSim sim = new CoordinatorLogSim(seed, tombstonesGo)) {
                compactions += sim.run(EVENTS);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
        return compactions;
    }
}
