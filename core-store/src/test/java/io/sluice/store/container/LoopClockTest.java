package io.sluice.store.container;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The wall's clock is set while the loop's runs; both in simulated time. */
class LoopClockTest {
    private static final long START_MILLIS = 1_700_000_000_000L;
    private static final long STEP_MILLIS = 100;

    private long passedMillis;
    private long offsetMillis;
    private final LoopClock clock =
            new LoopClock(() -> passedMillis * 1_000_000, () -> START_MILLIS + passedMillis + offsetMillis);

    /** Milliseconds by which the clock is ahead of the right time after so much of it. */
    private long errorAfter(long millis) {
        long last = clock.micros();
        for (long end = passedMillis + millis; passedMillis < end; ) {
            passedMillis += STEP_MILLIS;
            long now = clock.micros();
            assertThat(now - last).isBetween(STEP_MILLIS * 1000 / 2, STEP_MILLIS * 1000 * 2);
            last = now;
        }
        return last / 1000 - START_MILLIS - passedMillis;
    }

    @Test
    void aWallThatDriftsIsFollowed() {
        for (int i = 0; i < 60; i++) {
            offsetMillis += 3;
            errorAfter(60_000);
        }
        assertThat(errorAfter(2_500)).isEqualTo(180);
    }

    @Test
    void aWrongTimeMovesItByNoMoreThanItLasted() {
        offsetMillis = TimeUnit.DAYS.toMillis(2);
        assertThat(errorAfter(60_000)).isBetween(55_000L, 60_000L);
        offsetMillis = 0;
        assertThat(errorAfter(150_000)).isZero();
    }

    @Test
    void aTimeThatIsSetBackIsReachedWithoutGoingBack() {
        offsetMillis = -TimeUnit.MINUTES.toMillis(5);
        assertThat(errorAfter(60_000)).isBetween(-30_000L, -27_000L);
        assertThat(errorAfter(TimeUnit.MINUTES.toMillis(11))).isEqualTo(-TimeUnit.MINUTES.toMillis(5));
    }

    @Test
    void aMachineThatSleptIsRightAfterAsMuchTimeAgain() {
        offsetMillis = TimeUnit.MINUTES.toMillis(10);
        assertThat(errorAfter(TimeUnit.MINUTES.toMillis(11))).isEqualTo(TimeUnit.MINUTES.toMillis(10));
    }
}
