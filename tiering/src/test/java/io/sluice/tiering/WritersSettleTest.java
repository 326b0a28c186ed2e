package io.sluice.tiering;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.store.container.ContainerConfig;
import io.sluice.store.pressure.Pressure;
import io.sluice.store.pressure.PressureConfig;
import io.sluice.tiering.SimulatedLink.Sharing;
import io.sluice.tiering.flush.FlushPolicy;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A tier of so many bytes per second, and writers who offer three times that, for minutes: they settle at its speed and
 * stay there, and are back at their own when it is released.
 *
 * <p>Everything is a sixteenth of the defaults at 2 GiB of memory: 1 MB/s here is 16 MB/s there.
 */
final class WritersSettleTest {
    private static final long MIB = 1 << 20;
    private static final long SECOND = 1_000_000;
    private static final int SETTLING_SECONDS = 60;
    private static final int MINUTES = Integer.getInteger("sluice.settle.minutes", 2);
    private static final LimitedTierWorld.Sizes SIZES = new LimitedTierWorld.Sizes(
            new ContainerConfig.Log(64 << 10, 8, 512 << 10, 4 * MIB, 32 * MIB),
            16 * MIB,
            new PressureConfig(
                    PressureConfig.DEFAULT.beginAt(),
                    PressureConfig.DEFAULT.logBeginAt(),
                    16 * PressureConfig.DEFAULT.leastDelayMicros(),
                    16 * PressureConfig.DEFAULT.mostDelayMicros()),
            new TieringConfig(
                    new FlushPolicy(MIB / 2, 4 * MIB, 600_000, 1 << 20, 4),
                    TieringConfig.DEFAULT.merge(),
                    TieringConfig.DEFAULT.read(),
                    TieringConfig.DEFAULT.collect(),
                    TieringConfig.DEFAULT.writeBackoff(),
                    TieringConfig.DEFAULT.readBackoff()));

    /** A faster tier takes minutes of processor time: {@code -Dsluice.settle.megabytes=10}. */
    static Stream<Arguments> tiers() {
        Integer faster = Integer.getInteger("sluice.settle.megabytes");
        Stream<Arguments> given = faster == null
                ? Stream.of()
                : Stream.of(Arguments.of(Sharing.IN_ORDER, faster, 5L), Arguments.of(Sharing.EVENLY, faster, 6L));
        return Stream.concat(
                Stream.of(
                        Arguments.of(Sharing.IN_ORDER, 1, 1L),
                        Arguments.of(Sharing.IN_ORDER, 3, 2L),
                        Arguments.of(Sharing.EVENLY, 2, 3L),
                        Arguments.of(Sharing.EVENLY, 3, 4L)),
                given);
    }

    @ParameterizedTest
    @MethodSource("tiers")
    void atTheTiersSpeedAndBackAtTheirOwn(Sharing sharing, int megabytesPerSecond, long seed) {
        double speed = megabytesPerSecond * 1e6;
        try (var world = new LimitedTierWorld(seed, SIZES, sharing, speed)) {
            world.produce(6, 40, 3 * speed);
            world.run(SETTLING_SECONDS * SECOND);
            staysAtSpeed(world, speed);
            isBackAtOnce(world, speed);
        }
    }

    private static void staysAtSpeed(LimitedTierWorld world, double speed) {
        long[] admitted = new long[MINUTES * 60 + 1];
        admitted[0] = world.admittedBytes;
        for (int second = 1; second < admitted.length; second++) {
            world.run(SECOND);
            admitted[second] = world.admittedBytes;
            assertThat((admitted[second] - admitted[second - 1]) / speed)
                    .as("second %s", second)
                    .isBetween(0.5, 1.5);
            if (second >= 10) {
                assertThat((admitted[second] - admitted[second - 10]) / 10.0 / speed)
                        .as("the 10 s before %s", second)
                        .isBetween(0.9, 1.1);
            }
            assertThat(world.stats().log().bytes()).isLessThan(SIZES.log().limitBytes());
            assertThat(world.stats().log().untieredBytes()).isLessThan(13 * MIB);
        }
        assertThat(world.refusals).isZero();
        assertThat(world.worstMicros).isLessThan(5 * SECOND);
    }

    private static void isBackAtOnce(LimitedTierWorld world, double speed) {
        world.link.limit(1e9);
        world.run(2 * SECOND);
        for (int second = 2; second < 20; second++) {
            long before = world.admittedBytes;
            world.run(SECOND);
            assertThat((world.admittedBytes - before) / speed)
                    .as("%s s after the release", second)
                    .isBetween(2.8, 3.2);
        }
        // at any one moment the window of writes in flight may be full
        assertThat(world.stats().delayMicros()).isIn(0L, Pressure.CLOSED);
    }
}
