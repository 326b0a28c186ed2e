package io.sluice.broker.log.open;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PartitionSimTest {
    private static final int SEEDS = Integer.getInteger("sim.partitions", 25);
    private static final int EVENTS = 400;

    @Test
    void readersSeeWhatTheyMayAndAllOfIt() {
        LongStream.rangeClosed(1, SEEDS).parallel().forEach(seed -> {
            try {
                run(seed, PartitionSimBug.NONE);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        });
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void aPlantedBugIsFound(PartitionSimBug bug) {
        assertThat(LongStream.rangeClosed(1, 20).anyMatch(seed -> isFound(seed, bug)))
                .isTrue();
    }

    private static boolean isFound(long seed, PartitionSimBug bug) {
        try {
            run(seed, bug);
            return false;
        } catch (AssertionError found) {
            return true;
        }
    }

    private static void run(long seed, PartitionSimBug bug) {
        try (PartitionSim sim = new PartitionSim(seed, bug)) {
            sim.run(EVENTS);
        }
    }
}
