package io.sluice.perf.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.perf.result.Measure;
import io.sluice.perf.result.Ratios;
import io.sluice.perf.result.Spread;
import java.util.Map;
import org.junit.jupiter.api.Test;

class VerdictTest {
    private static final int FLAT_OUT = 0;
    private static final int FIXED = 20_000;

    @Test
    void moreThroughputAndLessLatencyAreBetter() {
        assertThat(verdict(Measure.THROUGHPUT, FLAT_OUT, 1.2, 1.1, 1.3)).isEqualTo(Verdict.BETTER);
        assertThat(verdict(Measure.PUBLISH_P99, FIXED, 1.2, 1.1, 1.3)).isEqualTo(Verdict.WORSE);
        assertThat(verdict(Measure.CPU_PER_GB, FIXED, 0.8, 0.7, 0.9)).isEqualTo(Verdict.BETTER);
    }

    @Test
    void noiseAndDisagreeingRoundsAreEven() {
        assertThat(verdict(Measure.THROUGHPUT, FLAT_OUT, 1.04, 1.03, 1.06)).isEqualTo(Verdict.EVEN);
        assertThat(verdict(Measure.THROUGHPUT, FLAT_OUT, 1.3, 0.9, 1.5)).isEqualTo(Verdict.EVEN);
    }

    @Test
    void whatTheLoadDecidesIsNotJudged() {
        assertThat(verdict(Measure.PUBLISH_P99, FLAT_OUT, 0.5, 0.4, 0.6)).isEqualTo(Verdict.UNJUDGED);
        assertThat(verdict(Measure.THROUGHPUT, FIXED, 1, 1, 1)).isEqualTo(Verdict.UNJUDGED);
    }

    @Test
    void whoCannotKeepARateIsWorse() {
        assertThat(verdict(Measure.THROUGHPUT, FIXED, 0.7, 0.7, 0.8)).isEqualTo(Verdict.WORSE);
    }

    @Test
    void whatWasNotMeasuredIsUnknown() {
        assertThat(Verdict.of(Measure.CPU_PER_GB, ratios(FIXED, Map.of()))).isEqualTo(Verdict.UNKNOWN);
    }

    private static Verdict verdict(Measure measure, int rate, double median, double low, double high) {
        return Verdict.of(measure, ratios(rate, Map.of(measure, new Spread(median, low, high, 3))));
    }

    private static Ratios ratios(int rate, Map<Measure, Spread> spreads) {
        var base = new Ratios.Base(
                SampleResults.MACHINE, SampleResults.COMMIT, "suite", SampleResults.workload("w", 1, rate, 0));
        return new Ratios(base, "kafka", new Ratios.Peer("kafka", "kafka"), spreads);
    }
}
