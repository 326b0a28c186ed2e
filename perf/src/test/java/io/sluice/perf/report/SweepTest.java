package io.sluice.perf.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.perf.result.RunResult;
import java.util.List;
import org.junit.jupiter.api.Test;

class SweepTest {
    private static Sweep climb(boolean kafkaFails) {
        List<RunResult> results = SampleResults.climb().stream()
                .map(result -> kafkaFails && fails(result) ? SampleResults.withFailure(result, "refused") : result)
                .toList();
        return new JoinedResults(results).climbs().getFirst();
    }

    /** Kafka all steps, Sluice the last one. */
    private static boolean fails(RunResult result) {
        return result.subject().name().equals("kafka")
                || result.subject().name().equals("sluice") && result.workload().producerRate() == 160_000;
    }

    private static MeasuredSystem kafka(Sweep sweep) {
        return sweep.contenders().stream()
                .filter(contender -> contender.name().equals("kafka"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void whoFailsTheFirstStepTakesNothing() {
        Sweep sweep = climb(true);
        assertThat(sweep.curves()).doesNotContainKey(kafka(sweep));
        assertThat(sweep.sluiceMostTo(kafka(sweep))).isInfinite();
    }

    @Test
    void aSweepThatWasCutShortSaysNothing() {
        Sweep sweep = climb(false);
        assertThat(sweep.sluiceMostTo(kafka(sweep))).isNaN();
        assertThat(sweep.sluiceP99To(kafka(sweep))).isPositive();
    }
}
