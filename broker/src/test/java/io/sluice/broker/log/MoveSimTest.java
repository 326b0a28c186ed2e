package io.sluice.broker.log;

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
        AtomicInteger moves = new AtomicInteger();
        AtomicInteger losses = new AtomicInteger();
        AtomicInteger compactions = new AtomicInteger();
        AtomicInteger views = new AtomicInteger();
        LongStream.rangeClosed(1, SEEDS).parallel().forEach(seed -> {
            try {
                run(seed, MoveSimBug.NONE, moves, losses, compactions, views);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        });
        assertThat(moves.get()).isGreaterThan(2 * SEEDS);
        assertThat(compactions.get()).isGreaterThan(SEEDS);
        assertThat(views.get()).isGreaterThan(SEEDS);
        assertThat(losses.get()).as("what logs that defer the sync may lose").isGreaterThan(SEEDS / 4);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void aPlantedBugIsFound(MoveSimBug bug) {
        assertThat(LongStream.rangeClosed(1, 60).anyMatch(seed -> isFound(seed, bug)))
                .isTrue();
    }

    private static boolean isFound(long seed, MoveSimBug bug) {
        try {
            run(seed, bug, new AtomicInteger(), new AtomicInteger(), new AtomicInteger(), new AtomicInteger());
            return false;
        } catch (AssertionError | RuntimeException found) {
            return true;
        }
    }

    private static void run(
            long seed,
            MoveSimBug bug,
            AtomicInteger moves,
            AtomicInteger losses,
            AtomicInteger compactions,
            AtomicInteger views) {
        try (MoveSim sim = new MoveSim(seed, bug)) {
            sim.run(EVENTS);
            moves.addAndGet(sim.moves());
            losses.addAndGet(sim.losses());
            compactions.addAndGet(sim.compactions());
            views.addAndGet(sim.views());
        }
    }
}
