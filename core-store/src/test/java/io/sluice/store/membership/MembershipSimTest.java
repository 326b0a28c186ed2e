package io.sluice.store.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MembershipSimTest {
    private static final int SEEDS = Integer.getInteger("sim.clusters", 4);
    /** Within which each planted fault shows; most do at once. */
    private static final int PLANTED_SEEDS = 1_000;

    private static final int STEPS = 800;

    @ParameterizedTest
    @EnumSource(
            value = MembershipSimBug.class,
            names = {"NONE", "ALL_CONTROL"})
    void aContainerIsServedByItsNewestOwnerAndInTheEndByTheAssignedOne(MembershipSimBug controllers) throws Exception {
        long takeovers = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            try {
                var sim = new MembershipSim(seed, controllers);
                sim.run(STEPS);
                takeovers += sim.takeovers;
            } catch (AssertionError | Exception e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
        assertThat(takeovers).isGreaterThan(10L * SEEDS);
    }

    @ParameterizedTest
    @EnumSource(
            value = MembershipSimBug.class,
            names = {
                "SERVES_PAST_THE_LEASE",
                "DEAD_TOO_EARLY",
                "FORGETS_LAPSES",
                "DOES_NOT_FENCE",
                "KEEPS_WHAT_IT_DOES_NOT_KNOW"
            })
    void plantedFaultsAreFound(MembershipSimBug bug) {
        assertThatThrownBy(() -> {
                    for (long seed = 1; seed <= PLANTED_SEEDS; seed++) {
                        new MembershipSim(seed, bug).run(STEPS);
                    }
                })
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(
                        switch (bug) {
                            case KEEPS_WHAT_IT_DOES_NOT_KNOW -> "is not served by";
                            case DOES_NOT_FENCE -> "is acknowledged and lost";
                            default -> "the newest is";
                        });
    }

    /** Nothing is thrown around, and the first node that can write again serves. */
    @ParameterizedTest
    @EnumSource(
            value = MembershipSimBug.class,
            names = {"NONE", "TRIAL_TELLS_NOTHING"})
    void containersAreServedByNodesThatReachTheirLogs(MembershipSimBug trial) throws Exception {
        for (long seed = 1; seed <= SEEDS; seed++) {
            try {
                loseLogs(seed, trial);
            } catch (AssertionError | Exception e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = MembershipSimBug.class,
            names = {"SAYS_NOTHING_OF_LOGS", "REACHES_UNTRIED", "FORGETS_FAILURES"})
    void plantedFaultsOfLostLogsAreFound(MembershipSimBug bug) {
        assertThatThrownBy(() -> {
                    for (long seed = 1; seed <= SEEDS; seed++) {
                        loseLogs(seed, bug);
                    }
                })
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(bug == MembershipSimBug.FORGETS_FAILURES ? "were moved" : "is not served by");
    }

    private static void loseLogs(long seed, MembershipSimBug bug) throws Exception {
        var sim = new MembershipSim(seed, bug);
        sim.run(STEPS);
        sim.loseLogs();
    }

    @Test
    void aRunIsTheSameAgain() throws Exception {
        var one = new MembershipSim(42, MembershipSimBug.NONE);
        one.run(STEPS);
        var two = new MembershipSim(42, MembershipSimBug.NONE);
        two.run(STEPS);
        assertThat(two.takeovers).isEqualTo(one.takeovers);
    }
}
