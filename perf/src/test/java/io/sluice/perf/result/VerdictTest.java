package io.sluice.perf.result;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.perf.workload.Workload;
import io.sluice.perf.workload.Workload.KeyDistributor;
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
    void whoFailsIsBehindWhateverTheOtherRoundsSay() {
        Map<Measure, Spread> faster = Map.of(Measure.THROUGHPUT, new Spread(1.3, 0, 1.4, 3));
        Evidence enough = new Evidence(3, true);
        assertThat(ratios(workload(FLAT_OUT, 0), new Failures(1, 0, 3), enough, faster)
                        .verdict(Measure.THROUGHPUT))
                .isEqualTo(Verdict.WORSE);
        assertThat(ratios(workload(FLAT_OUT, 0), new Failures(1, 2, 3), enough, faster)
                        .verdict(Measure.THROUGHPUT))
                .isEqualTo(Verdict.BETTER);
        assertThat(ratios(workload(FLAT_OUT, 0), new Failures(1, 1, 3), enough, faster)
                        .verdict(Measure.THROUGHPUT))
                .isEqualTo(Verdict.EVEN);
    }

    @Test
    void aBacklogIsJudgedByItsDrain() {
        Map<Measure, Spread> half = Map.of(
                Measure.THROUGHPUT, new Spread(0.5, 0.5, 0.5, 3),
                Measure.END_TO_END_P99, new Spread(0.5, 0.5, 0.5, 3),
                Measure.BACKLOG_DRAIN, new Spread(0.5, 0.5, 0.5, 3));
        Ratios row = ratios(workload(FLAT_OUT, 8), Failures.NONE, new Evidence(3, true), half);
        assertThat(row.verdict(Measure.BACKLOG_DRAIN)).isEqualTo(Verdict.BETTER);
        assertThat(Verdict.isDecidedBySystem(Measure.END_TO_END_P99, workload(FIXED, 8)))
                .isFalse();
        assertThat(Verdict.isDecidedBySystem(Measure.THROUGHPUT, workload(FLAT_OUT, 8)))
                .isFalse();
    }

    @Test
    void whatWasNotMeasuredIsUnknown() {
        assertThat(ratios(FIXED, new Evidence(3, true), Map.of()).verdict(Measure.CPU_PER_GB))
                .isEqualTo(Verdict.UNKNOWN);
    }

    @Test
    void nobodyIsAheadInFewerThanThreeRounds() {
        Map<Measure, Spread> twice = Map.of(Measure.THROUGHPUT, new Spread(2, 1.9, 2.1, 2));
        assertThat(ratios(FLAT_OUT, new Evidence(2, true), twice).verdict(Measure.THROUGHPUT))
                .isEqualTo(Verdict.UNPROVEN);
        assertThat(ratios(FLAT_OUT, new Evidence(3, true), twice).verdict(Measure.THROUGHPUT))
                .isEqualTo(Verdict.BETTER);
    }

    @Test
    void nobodyIsAheadOfAColdSystem() {
        Map<Measure, Spread> half = Map.of(Measure.THROUGHPUT, new Spread(0.5, 0.4, 0.6, 3));
        assertThat(ratios(FLAT_OUT, new Evidence(3, false), half).verdict(Measure.THROUGHPUT))
                .isEqualTo(Verdict.UNPROVEN);
        assertThat(Verdict.EVEN.given(Evidence.NONE)).isEqualTo(Verdict.EVEN);
    }

    private static Verdict verdict(Measure measure, int rate, double median, double low, double high) {
        return ratios(rate, new Evidence(3, true), Map.of(measure, new Spread(median, low, high, 3)))
                .verdict(measure);
    }

    private static Ratios ratios(int rate, Evidence evidence, Map<Measure, Spread> spreads) {
        return ratios(workload(rate, 0), Failures.NONE, evidence, spreads);
    }

    private static Workload workload(int rate, double backlogGigabytes) {
        return new Workload("w", 1, 1, 1_000, 1, 1, 1, rate, KeyDistributor.NO_KEY, backlogGigabytes, 60, 15);
    }

    private static Ratios ratios(
            Workload workload, Failures failures, Evidence evidence, Map<Measure, Spread> spreads) {
        var machine = new RunResult.Machine("cpu", 2, 1, "os", "jdk");
        var base = new Ratios.Base(machine, "commit", "suite", workload);
        return new Ratios(base, "kafka", new Ratios.Peer("kafka", "kafka"), failures, evidence, spreads);
    }
}
