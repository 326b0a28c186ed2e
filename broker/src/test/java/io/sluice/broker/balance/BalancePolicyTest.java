package io.sluice.broker.balance;

import static io.sluice.broker.balance.BalanceSim.MB;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.balance.BalanceSim.Partition;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BalancePolicyTest {
    private static final int SEEDS = Integer.getInteger("sim.balance", 30);
    private static final int CONTAINERS = 8;
    private static final int MINUTE = 60;

    /** The hottest container, by the mean, where no partition is so large that it cannot be. */
    private static final double EVEN = 1.5;

    private static void forAllSeeds(LongConsumer test) {
        LongStream.rangeClosed(1, SEEDS).parallel().forEach(seed -> {
            try {
                test.accept(seed);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        });
    }

    private static BalanceSim sim(long seed, BalanceSimBug bug) {
        BalanceSim sim = new BalanceSim(seed, bug);
        for (int id = 0; id < CONTAINERS; id++) {
            sim.serve(id);
        }
        return sim;
    }

    /** A few partitions may be as large as that no place is right for them. */
    private static void assertEven(BalanceSim sim) {
        assertThat(sim.hottest())
                .as("hottest of a mean of %.1f MB/s", sim.mean() / MB)
                .isLessThanOrEqualTo(Math.max(EVEN * sim.mean(), sim.mean() + sim.largestPartition()));
    }

    @Test
    void oneHotContainerOfEightIsEvenWithinAMinute() {
        forAllSeeds(seed -> {
            BalanceSim sim = sim(seed, BalanceSimBug.NONE);
            sim.noise = 0.3;
            int partitions = 24 + sim.random().nextInt(40);
            for (int i = 0; i < partitions; i++) {
                sim.add(3, 2 * MB);
            }
            sim.run(MINUTE);
            assertThat(sim.hottest()).isLessThanOrEqualTo(EVEN * sim.mean());
            assertThat(sim.moves()).isLessThanOrEqualTo(partitions);
            int moved = sim.moves();
            sim.run(60 * MINUTE);
            assertThat(sim.moves() - moved).as("moves once it is even").isLessThanOrEqualTo(2);
        });
    }

    @Test
    void skewedLoadIsAsEvenAsItCanBeWithinAMinute() {
        forAllSeeds(seed -> {
            BalanceSim sim = sim(seed, BalanceSimBug.NONE);
            sim.noise = 0.2;
            skewed(sim, 16 + sim.random().nextInt(60));
            sim.run(MINUTE);
            assertEven(sim);
        });
    }

    private static void skewed(BalanceSim sim, int partitions) {
        Random random = sim.random();
        int hot = random.nextInt(CONTAINERS);
        for (int i = 0; i < partitions; i++) {
            int container = random.nextInt(3) == 0 ? random.nextInt(CONTAINERS) : hot;
            sim.add(container, 20 * MB / (1 + random.nextInt(20)));
        }
    }

    @Test
    void evenLoadMovesNothingEver() {
        forAllSeeds(seed -> {
            BalanceSim sim = sim(seed, BalanceSimBug.NONE);
            sim.noise = 0.5;
            for (int i = 0; i < 4 * CONTAINERS; i++) {
                sim.add(i % CONTAINERS, 5 * MB);
            }
            sim.run(120 * MINUTE);
            assertThat(sim.moves()).isZero();
        });
    }

    @Test
    void aLittleLoadMovesNothing() {
        BalanceSim sim = sim(1, BalanceSimBug.NONE);
        for (int i = 0; i < 20; i++) {
            sim.add(0, 0.05 * MB);
        }
        sim.run(60 * MINUTE);
        assertThat(sim.moves()).isZero();
    }

    @Test
    void whatIsUnevenForAMomentMovesNothing() {
        BalanceSim sim = sim(1, BalanceSimBug.NONE);
        Partition bursts = sim.add(0, 0);
        for (int i = 0; i < 2 * CONTAINERS; i++) {
            sim.add(i % CONTAINERS, 5 * MB);
        }
        for (int i = 0; i < 60; i++) {
            bursts.load = 20 * MB;
            sim.run(5);
            bursts.load = 0;
            sim.run(55);
        }
        assertThat(sim.moves()).isZero();
    }

    @Test
    void onePartitionThatIsHotByItselfStaysAndOthersLeaveIt() {
        forAllSeeds(seed -> {
            BalanceSim sim = sim(seed, BalanceSimBug.NONE);
            sim.noise = 0.3;
            Partition hot = sim.add(2, 60 * MB);
            int companions = sim.random().nextInt(5);
            for (int i = 0; i < companions; i++) {
                sim.add(2, 2 * MB);
            }
            for (int i = 0; i < CONTAINERS; i++) {
                sim.add(i, 3 * MB);
            }
            sim.run(120 * MINUTE);
            assertThat(hot.moves).isZero();
            assertThat(sim.load(2)).isEqualTo(60 * MB);
            assertThat(sim.moves()).isLessThanOrEqualTo(companions + 6);
        });
    }

    @Test
    void changingLoadIsFollowedWithFewMoves() {
        forAllSeeds(seed -> {
            BalanceSim sim = sim(seed, BalanceSimBug.NONE);
            sim.noise = 0.2;
            skewed(sim, 48);
            for (int change = 0; change < 8; change++) {
                deal(sim);
                sim.run(MINUTE);
                assertEven(sim);
                sim.run(14 * MINUTE);
                assertEven(sim);
            }
            assertThat(sim.moves()).as("moves in two hours").isLessThanOrEqualTo(2 * 4 * 48);
        });
    }

    /** Gives each partition the load of another. */
    private static void deal(BalanceSim sim) {
        List<Double> loads =
                new ArrayList<>(sim.partitions().stream().map(p -> p.load).toList());
        Collections.shuffle(loads, sim.random());
        for (int i = 0; i < loads.size(); i++) {
            sim.partitions().get(i).load = loads.get(i);
        }
    }

    @Test
    void loadThatSwingsDoesNotMakePartitionsSwing() {
        forAllSeeds(seed -> swing(seed, BalanceSimBug.NONE));
    }

    /** Two sets of partitions that are busy by turns, for some minutes each. */
    private static void swing(long seed, BalanceSimBug bug) {
        BalanceSim sim = sim(seed, bug);
        sim.noise = 0.2;
        for (int i = 0; i < 16; i++) {
            sim.add(i % 2, 5 * MB);
        }
        for (int turn = 0; turn < 60; turn++) {
            for (Partition partition : sim.partitions()) {
                partition.load = partition.id % 2 == turn % 2 ? 10 * MB : 0.2 * MB;
            }
            sim.run(MINUTE + sim.random().nextInt(2 * MINUTE));
        }
        assertThat(sim.moves()).as("moves in two hours").isLessThanOrEqualTo(3 * 16);
    }

    @Test
    void containersComeAndGo() {
        forAllSeeds(seed -> {
            BalanceSim sim = sim(seed, BalanceSimBug.NONE);
            sim.noise = 0.2;
            for (int i = 0; i < 8 * CONTAINERS; i++) {
                sim.add(i % CONTAINERS, 2 * MB);
            }
            sim.run(5 * MINUTE);
            int gone = sim.random().nextInt(CONTAINERS);
            sim.vanish(gone);
            sim.run(30);
            sim.serve(gone);
            sim.run(5 * MINUTE);
            assertThat(sim.moves()).as("moves because a container recovered").isZero();
            for (int id = CONTAINERS; id < 2 * CONTAINERS; id++) {
                sim.serve(id);
            }
            sim.run(MINUTE + 15);
            assertEven(sim);
            assertThat(sim.moves()).isPositive();
        });
    }

    @Test
    void internalPartitionsStay() {
        BalanceSim sim = sim(1, BalanceSimBug.NONE);
        for (int i = 0; i < 10; i++) {
            sim.add(0, 5 * MB, true);
        }
        sim.run(10 * MINUTE);
        assertThat(sim.moves()).isZero();
    }

    @Test
    void whoIsStrainedGivesSoonerAndTakesNothing() {
        BalanceSim sim = sim(1, BalanceSimBug.NONE);
        for (int i = 0; i < 10 * CONTAINERS; i++) {
            sim.add(i % CONTAINERS, MB);
        }
        for (int i = 0; i < 5; i++) {
            sim.add(0, MB);
        }
        sim.run(10 * MINUTE);
        assertThat(sim.moves()).isZero();
        sim.strain(0, new Strain(0, 0.3, 0.8, 0.2));
        for (int id = 1; id < CONTAINERS - 1; id++) {
            sim.strain(id, new Strain(0, 0.3, 0.1, 0.7));
        }
        sim.run(5 * MINUTE);
        assertThat(sim.load(0)).isLessThan(15 * MB);
        assertThat(sim.load(7)).isEqualTo(10 * MB + 15 * MB - sim.load(0));
    }

    @Test
    void whereTheLoopIsBusyAnotherLoopsContainerTakes() {
        BalanceSim sim = sim(1, BalanceSimBug.NONE);
        for (int id = 0; id < CONTAINERS; id++) {
            sim.strain(id, new Strain(id % 2, id % 2 == 0 ? 0.95 : 0.2, 0, 0));
            sim.add(id, (id % 2 == 0 ? 1 : 2) * MB);
        }
        for (int i = 0; i < 4; i++) {
            sim.add(0, 2 * MB);
        }
        sim.run(15);
        assertThat(sim.moves()).isZero();
        sim.run(5);
        assertThat(sim.partitions().subList(CONTAINERS, CONTAINERS + 4))
                .filteredOn(p -> p.container != 0)
                .isNotEmpty()
                .first()
                .matches(p -> p.container % 2 == 1);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void aPlantedBugIsFound(BalanceSimBug bug) {
        assertThat(LongStream.rangeClosed(1, 10).anyMatch(seed -> isFound(seed, bug)))
                .isTrue();
    }

    private static boolean isFound(long seed, BalanceSimBug bug) {
        try {
            swing(seed, bug);
            BalanceSim sim = sim(seed, bug);
            sim.add(0, 60 * MB);
            sim.run(60 * MINUTE);
            return false;
        } catch (AssertionError found) {
            return true;
        }
    }
}
