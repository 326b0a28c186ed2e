package io.sluice.store.pressure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class PressureTest {
    private final Pressure pressure = new Pressure(new PressureConfig(0.5, 10_000));

    @Test
    void nobodyWaitsBelowTheBeginning() {
        assertThat(pressure.delayMicros(0, 0)).isZero();
        assertThat(pressure.delayMicros(0.5, 0.49)).isZero();
    }

    @Test
    void theDelayRisesWithoutAStep() {
        long before = 0;
        for (int i = 500; i < 1000; i++) {
            long delay = pressure.delayMicros(i / 1000.0, 0);
            assertThat(delay).isBetween(before, before + 50);
            before = delay;
        }
        assertThat(before).isBetween(9_900L, 10_000L);
    }

    @Test
    void theFullerDecidesAndDelaysAreNotAdded() {
        assertThat(pressure.delayMicros(0.8, 0.7)).isEqualTo(pressure.delayMicros(0.8, 0));
        assertThat(pressure.delayMicros(0.7, 0.8)).isEqualTo(pressure.delayMicros(0, 0.8));
    }

    @Test
    void fullIsClosed() {
        assertThat(pressure.delayMicros(1, 0)).isEqualTo(Pressure.CLOSED);
        assertThat(pressure.delayMicros(0, 1.2)).isEqualTo(Pressure.CLOSED);
    }

    @Test
    void flushingIsUrgentBeforeWritersWait() {
        assertThat(pressure.flushPressure(0, 0)).isZero();
        assertThat(pressure.flushPressure(0.25, 0.1)).isEqualTo(0.5, within(1e-9));
        assertThat(pressure.flushPressure(0.5, 0.1)).isEqualTo(1, within(1e-9));
        assertThat(pressure.flushPressure(0.1, 1)).isEqualTo(2, within(1e-9));
    }

    @Test
    void theCacheIsFullWhenTheLastAppendMightNotFit() {
        assertThat(Pressure.cacheFill(1000, 1000, 100)).isZero();
        assertThat(Pressure.cacheFill(1000, 550, 100)).isEqualTo(0.5, within(1e-9));
        assertThat(Pressure.cacheFill(1000, 100, 100)).isEqualTo(1);
        assertThat(Pressure.cacheFill(1000, 20, 100)).isEqualTo(1);
        assertThat(Pressure.logFill(256, 512)).isEqualTo(0.5, within(1e-9));
    }
}
