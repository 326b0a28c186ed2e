package io.sluice.transactions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.sluice.transactions.TransactionSim.Bug;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TransactionSimTest {
    private static final int SEEDS = Integer.getInteger("sim.seeds", 200);
    private static final int STEPS = 2_000;

    @Test
    void eachTransactionHasOneOutcomeInAllPartitionsWhateverCrashes() {
        int committed = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            try {
                committed += new TransactionSim(seed, Bug.NONE).run(STEPS);
            } catch (AssertionError | RuntimeException e) {
                fail("seed " + seed, e);
            }
        }
        assertThat(committed).isGreaterThan(SEEDS * 10);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void findsPlantedBugs(Bug bug) {
        for (long seed = 1; seed <= 200; seed++) {
            try {
                new TransactionSim(seed, bug).run(STEPS);
            } catch (AssertionError found) {
                return;
            }
        }
        fail("not found: " + bug);
    }
}
