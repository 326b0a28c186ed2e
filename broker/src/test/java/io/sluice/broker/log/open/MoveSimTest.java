package io.sluice.broker.log.open;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MoveSimTest {
    private static final int SEEDS = Integer.getInteger("sim.moves", 60);
    private static final int EVENTS = 600;

    @Test
    void nothingIsLostOrDoubledWhereverAMoveIsCutShort() {
        var seen = new Figures();
        LongStream.rangeClosed(1, SEEDS).parallel().forEach(seed -> {
            try {
                run(seed, MoveSimBug.NONE, seen);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        });
        assertThat(seen.moves.get()).isGreaterThan(2 * SEEDS);
        assertThat(seen.failures.get()).isGreaterThan(SEEDS / 8);
        assertThat(seen.compactions.get()).isGreaterThan(SEEDS);
        assertThat(seen.gathered.get()).isGreaterThan(SEEDS);
        assertThat(seen.views.get()).isGreaterThan(SEEDS);
        assertThat(seen.losses.get())
                .as("what logs that defer the sync may lose")
                .isGreaterThan(SEEDS / 4);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void aPlantedBugIsFound(MoveSimBug bug) {
        assertThat(LongStream.rangeClosed(1, 400).anyMatch(seed -> isFound(seed, bug)))
                .isTrue();
    }

    private static boolean isFound(long seed, MoveSimBug bug) {
        try {
            run(seed, bug, new Figures());
            return false;
        } catch (AssertionError | RuntimeException found) {
            return true;
        }
    }

    private static final class Figures {
        private final AtomicInteger moves = new AtomicInteger();
        private final AtomicInteger failures = new AtomicInteger();
        private final AtomicInteger losses = new AtomicInteger();
        private final AtomicInteger compactions = new AtomicInteger();
        private final AtomicInteger gathered = new AtomicInteger();
        private final AtomicInteger views = new AtomicInteger();
    }

    private static void run(long seed, MoveSimBug bug, Figures seen) {
        try (MoveSim sim = new MoveSim(seed, bug)) {
            sim.run(EVENTS);
            seen.moves.addAndGet(sim.moves());
            seen.failures.addAndGet(sim.failures());
            seen.losses.addAndGet(sim.losses());
            seen.compactions.addAndGet(sim.compactions());
            seen.gathered.addAndGet(sim.gathered());
            seen.views.addAndGet(sim.views());
        }
    }
}
