package io.sluice.store.pressure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class PressureTest {
    private final Pressure pressure = new Pressure(new PressureConfig(0.5, 0.75, 100, 1_000_000));

    @Test
    void nobodyWaitsBelowTheBeginning() {
        assertThat(delay(Fill.EMPTY)).isZero();
        assertThat(delay(new Fill(0.5, 0.5, 0.75, 0.99))).isZero();
    }

    @Test
    void theDelayRisesWithoutAStep() {
        double before = 100;
        for (int i = 5001; i < 10_000; i++) {
            long delay = delay(new Fill(0, i / 10_000.0, 0, 0));
            assertThat(delay).isBetween((long) before - 1, (long) (before * 1.01));
            before = delay;
        }
        assertThat(before).isBetween(990_000.0, 1_000_000.0);
    }

    @Test
    void theFullestDecidesAndDelaysAreNotAdded() {
        long alone = delay(new Fill(0, 0.8, 0, 0));
        assertThat(delay(new Fill(0.7, 0.8, 0.7, 0.5))).isEqualTo(alone);
        assertThat(delay(new Fill(0.8, 0.7, 0.7, 0.5))).isEqualTo(alone);
        assertThat(delay(new Fill(0.7, 0.7, 0.9, 0.5))).isCloseTo(alone, within(1L));
    }

    @Test
    void anyOfThemClosesWhenFullButTheLag() {
        assertThat(delay(new Fill(2, 0, 0, 0))).isEqualTo(1_000_000);
        assertThat(delay(new Fill(0, 1, 0, 0))).isEqualTo(Pressure.CLOSED);
        assertThat(delay(new Fill(0, 0, 1.2, 0))).isEqualTo(Pressure.CLOSED);
        assertThat(delay(new Fill(0, 0, 0, 1))).isEqualTo(Pressure.CLOSED);
    }

    @Test
    void roomIsThereWhenItIsThereThoughItIsHandedOutSteadily() {
        assertThat(pressure.delayMicros(new Fill(0, 0.3, 0, 0), new Fill(0, 1.1, 0, 0)))
                .isEqualTo(1_000_000);
    }

    @Test
    void flushingIsUrgentBeforeWritersWait() {
        assertThat(pressure.flushPressure(Fill.EMPTY)).isZero();
        assertThat(pressure.flushPressure(new Fill(0.1, 0.25, 0.1, 0))).isEqualTo(0.5, within(1e-9));
        assertThat(pressure.flushPressure(new Fill(0.1, 0.5, 0.1, 0))).isEqualTo(1, within(1e-9));
        assertThat(pressure.flushPressure(new Fill(0.1, 0.1, 1, 0))).isEqualTo(2, within(1e-9));
    }

    @Test
    void theCacheIsFullWhenTheLastAppendMightNotFit() {
        assertThat(Pressure.cacheFill(1000, 1000, 100)).isZero();
        assertThat(Pressure.cacheFill(1000, 550, 100)).isEqualTo(0.5, within(1e-9));
        assertThat(Pressure.cacheFill(1000, 100, 100)).isEqualTo(1);
        assertThat(Pressure.cacheFill(1000, 20, 100)).isEqualTo(1);
    }

    private long delay(Fill fill) {
        return pressure.delayMicros(fill, fill);
    }
}
