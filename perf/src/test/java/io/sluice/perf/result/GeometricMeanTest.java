package io.sluice.perf.result;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

class GeometricMeanTest {
    private static Spread ratio(double median) {
        return new Spread(median, median, median, 3);
    }

    @Test
    void twiceAndHalfAreEven() {
        assertThat(GeometricMean.of(List.of(ratio(2), ratio(0.5)))).isEqualTo(new Spread(1, 0.5, 2, 2));
    }

    @Test
    void aFailedLoadIsNotLeftOut() {
        Spread mean = GeometricMean.of(List.of(ratio(0.9), ratio(0.9), ratio(Double.POSITIVE_INFINITY)));
        assertThat(mean.median()).isCloseTo(Math.cbrt(0.9 * 0.9 * 10), within(1e-9));
        assertThat(mean.high()).isInfinite();
        assertThat(GeometricMean.of(List.of(ratio(0), ratio(1))).median()).isCloseTo(Math.sqrt(0.1), within(1e-9));
    }

    @Test
    void whatNobodyMeasuredTakesNoPart() {
        assertThat(GeometricMean.of(List.of(Spread.NONE, ratio(2)))).isEqualTo(new Spread(2, 2, 2, 1));
        assertThat(GeometricMean.of(List.of(Spread.NONE))).isEqualTo(Spread.NONE);
    }
}
