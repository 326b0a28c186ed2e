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
        run(false, SEEDS);
    }

    @Test
    void eachTransactionEndsInPartitionsThatLoseWhatIsNotSynced() {
        run(true, SEEDS / 4);
    }

    private static void run(boolean withContainers, int seeds) {
        int committed = 0;
        for (long seed = 1; seed <= seeds; seed++) {
            try {
                committed += new TransactionSim(seed, Bug.NONE, withContainers).run(STEPS);
            } catch (AssertionError | RuntimeException e) {
                fail("seed " + seed, e);
            }
        }
        assertThat(committed).isGreaterThan(seeds * 10);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void findsPlantedBugs(Bug bug) {
        boolean withContainers = bug == Bug.COMPLETES_BEFORE_SYNCED || bug == Bug.TRUSTS_AN_ANSWER_FROM_BEFORE_THE_END;
        for (long seed = 1; seed <= 200; seed++) {
            try {
                new TransactionSim(seed, bug, withContainers).run(STEPS);
            } catch (AssertionError found) {
                return;
            }
        }
        fail("not found: " + bug);
    }
}
