package io.sluice.broker.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CompactionSimTest {
    private static final int SEEDS = Integer.getInteger("sim.compactions", 20);
    private static final int EVENTS = 300;

    @Test
    void theNewestOfEachKeyIsAlwaysThereAndNothingThatWasAborted() {
        AtomicInteger compactions = new AtomicInteger();
        LongStream.rangeClosed(1, SEEDS).forEach(seed -> {
            try {
                compactions.addAndGet(run(seed, CompactionSimBug.NONE));
            } catch (Exception | AssertionError e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        });
        assertThat(compactions.get()).as("compactions that came to an end").isGreaterThan(5 * SEEDS);
    }

    @Test
    void whoAsksForTheViewComesToTheNewestStateAndWhoDoesNotSeesEverything() {
        AtomicInteger compactions = new AtomicInteger();
        LongStream.rangeClosed(1, SEEDS).forEach(seed -> {
            try {
                compactions.addAndGet(runView(seed, CompactionSimBug.NONE));
            } catch (Exception | AssertionError e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        });
        assertThat(compactions.get()).as("compactions that came to an end").isGreaterThan(5 * SEEDS);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void aPlantedBugIsFoundInAView(CompactionSimBug bug) {
        assertThat(LongStream.rangeClosed(1, 20).anyMatch(seed -> isFound(() -> runView(seed, bug))))
                .isTrue();
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"NONE", "TOMBSTONES_STAY"})
    void aPlantedBugIsFound(CompactionSimBug bug) {
        assertThat(LongStream.rangeClosed(1, 20).anyMatch(seed -> isFound(() -> run(seed, bug))))
                .isTrue();
    }

    private static boolean isFound(Callable<Integer> run) {
        try {
            run.call();
            return false;
        } catch (Exception | AssertionError found) {
            return found instanceof AssertionError;
        }
    }

    private static int run(long seed, CompactionSimBug bug) throws Exception {
        return run(new CompactionSim(seed, bug));
    }

    private static int runView(long seed, CompactionSimBug bug) throws Exception {
        return run(new ViewSim(seed, bug));
    }

    private static int run(KeyedSim sim) throws Exception {
        try (sim) {
            sim.run(EVENTS);
            return sim.compactions();
        }
    }
}
