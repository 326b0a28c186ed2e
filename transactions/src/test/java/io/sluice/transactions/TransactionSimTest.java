package io.sluice.transactions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.sluice.transactions.TransactionSim.Bug;
import io.sluice.transactions.TransactionSim.World;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TransactionSimTest {
    private static final int SEEDS = Integer.getInteger("sim.seeds", 60);
    private static final int STEPS = 2_000;

    @Test
    void eachTransactionHasOneOutcomeInAllPartitionsWhateverCrashes() {
        run(World.RULES, SEEDS);
    }

    @Test
    void eachTransactionEndsInPartitionsThatLoseWhatIsNotSynced() {
        run(World.CONTAINERS, SEEDS / 4);
    }

    @Test
    void eachTransactionEndsInPartitionsOfOtherNodesWhateverTheNetworkDoes() {
        run(World.NODES, SEEDS / 4);
    }

    /** Where it takes more of them to get from one end of the network to the other. */
    private static int stepsIn(World world) {
        return world == World.NODES ? 5 * STEPS : STEPS;
    }

    private static void run(World world, int seeds) {
        int committed = 0;
        for (long seed = 1; seed <= seeds; seed++) {
            try {
                committed += new TransactionSim(seed, Bug.NONE, world).run(stepsIn(world));
            } catch (AssertionError | RuntimeException e) {
                fail("seed " + seed, e);
            }
        }
        assertThat(committed).isGreaterThan(seeds * 10);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void findsPlantedBugs(Bug bug) {
        World world = switch (bug) {
            case COMPLETES_BEFORE_SYNCED, TRUSTS_AN_ANSWER_FROM_BEFORE_THE_END -> World.CONTAINERS;
            case VERIFIES_WITHOUT_ITS_LEASE, TAKES_MARKERS_OF_EARLIER_COORDINATORS, TAKES_MARKERS_THAT_WERE_GIVEN_UP ->
                World.NODES;
            default -> World.RULES;
        };
        for (long seed = 1; seed <= 200; seed++) {
            try {
                new TransactionSim(seed, bug, world).run(stepsIn(world));
            } catch (AssertionError found) {
                return;
            }
        }
        fail("not found: " + bug);
    }
}
