package io.sluice.perf.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

class AxisTest {
    @Test
    void linearGoesFromZeroToARoundNumber() {
        Axis axis = Axis.linear("", DoubleStream.of(3, 346_000, Double.NaN));

        assertThat(axis.ticks()).extracting(Axis.Tick::label).containsExactly("0", "100 k", "200 k", "300 k", "400 k");
        assertThat(axis.at(200_000)).isEqualTo(0.5);
        assertThat(axis.at(Double.NaN)).isNaN();
    }

    @Test
    void logNamesPowersOfTenWhenThereAreMany() {
        Axis axis = Axis.log("", DoubleStream.of(0.95, 747, 0));

        assertThat(axis.ticks()).extracting(Axis.Tick::label).containsExactly("1", "10", "100", "1,000");
        assertThat(axis.at(0)).isNaN();
    }

    @Test
    void logNamesStepsBetweenWhenThereAreFew() {
        Axis axis = Axis.log("", DoubleStream.of(12, 18));

        assertThat(axis.ticks()).extracting(Axis.Tick::label).containsExactly("5", "10", "20", "50");
    }

    @Test
    void percentilesGiveEveryNineTheSameRoom() {
        Axis axis = Axis.percentiles("", DoubleStream.of(99.99, 100));

        assertThat(axis.ticks()).extracting(Axis.Tick::label).containsExactly("0", "50", "90", "99", "99.9", "99.99");
        assertThat(axis.at(99) - axis.at(90)).isCloseTo(0.25, within(1e-9));
        assertThat(axis.at(99.99) - axis.at(99.9)).isCloseTo(0.25, within(1e-9));
        assertThat(axis.at(100)).isNaN();
    }

    @Test
    void nothingMeasuredIsStillAnAxis() {
        assertThat(Axis.linear("", DoubleStream.empty()).ticks()).isNotEmpty();
        assertThat(Axis.log("", DoubleStream.of(Double.NaN)).ticks()).isNotEmpty();
    }
}
