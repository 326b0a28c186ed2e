package io.sluice.perf.result;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.perf.result.RunResult.Second;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SettlingTest {
    private static List<Second> seconds(double... cores) {
        List<Second> series = new ArrayList<>();
        for (double each : cores) {
            series.add(new Second(series.size(), 500, 500, 0, 1, 1, 1, 1, each, 0, 0));
        }
        return series;
    }

    @Test
    void aServerThatIsStillBeingCompiledNeedsLessCpuInTheSecondHalf() {
        assertThat(Settling.of(seconds(1, 0.9, 0.7, 0.5, 0.5))).isBetween(0.52, 0.53);
    }

    @Test
    void aWarmServerNeedsTheSame() {
        assertThat(Settling.of(seconds(0.5, 0.6, 0.6, 0.5))).isEqualTo(1);
    }

    @Test
    void aFewSecondsOrAServerElsewhereSayNothing() {
        assertThat(Settling.of(seconds(1, 1))).isNaN();
        assertThat(Settling.of(seconds(Double.NaN, Double.NaN, Double.NaN, Double.NaN)))
                .isNaN();
    }
}
