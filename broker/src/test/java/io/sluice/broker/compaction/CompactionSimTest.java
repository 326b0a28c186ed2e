package io.sluice.broker.compaction;

import static org.assertj.core.api.Assertions.assertThat;

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

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void aPlantedBugIsFound(CompactionSimBug bug) {
        assertThat(LongStream.rangeClosed(1, 20).anyMatch(seed -> isFound(seed, bug)))
                .isTrue();
    }

    private static boolean isFound(long seed, CompactionSimBug bug) {
        try {
            run(seed, bug);
            return false;
        } catch (Exception | AssertionError found) {
            return found instanceof AssertionError;
        }
    }

    private static int run(long seed, CompactionSimBug bug) throws Exception {
        try (CompactionSim sim = new CompactionSim(seed, bug)) {
            sim.run(EVENTS);
            return sim.compactions();
        }
    }
}
