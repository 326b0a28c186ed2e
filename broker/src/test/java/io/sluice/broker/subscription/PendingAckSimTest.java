package io.sluice.broker.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PendingAckSimTest {
    private static final int SEEDS = Integer.getInteger("sim.partitions", 40) * 5;
    private static final int STEPS = 400;

    @Test
    void whatIsAcknowledgedInTransactionsCountsWhenTheyAreCommitted() {
        LongStream.rangeClosed(1, SEEDS).forEach(seed -> {
            try {
                run(seed, PendingAckBug.NONE);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        });
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void aPlantedBugIsFound(PendingAckBug bug) {
        assertThat(LongStream.rangeClosed(1, 40).anyMatch(seed -> isFound(seed, bug)))
                .isTrue();
    }

    private static boolean isFound(long seed, PendingAckBug bug) {
        try {
            run(seed, bug);
            return false;
        } catch (AssertionError found) {
            return true;
        }
    }

    private static void run(long seed, PendingAckBug bug) {
        try (PendingAckSim sim = new PendingAckSim(seed, bug)) {
            sim.run(STEPS);
        }
    }
}
