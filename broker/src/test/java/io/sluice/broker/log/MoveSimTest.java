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
        LongStream.rangeClosed(1, SEEDS).parallel().forEach(seed -> {
            try {
                moves.addAndGet(run(seed, MoveSimBug.NONE));
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        });
        assertThat(moves.get()).isGreaterThan(2 * SEEDS);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void aPlantedBugIsFound(MoveSimBug bug) {
        assertThat(LongStream.rangeClosed(1, 30).anyMatch(seed -> isFound(seed, bug)))
                .isTrue();
    }

    private static boolean isFound(long seed, MoveSimBug bug) {
        try {
            run(seed, bug);
            return false;
        } catch (AssertionError | RuntimeException found) {
            return true;
        }
    }

    private static int run(long seed, MoveSimBug bug) {
        try (MoveSim sim = new MoveSim(seed, bug)) {
            sim.run(EVENTS);
            return sim.moves();
        }
    }
}
