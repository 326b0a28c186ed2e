package io.sluice.perf.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.perf.result.RunResult;
import io.sluice.perf.suite.Suite;
import io.sluice.perf.suite.Suites;
import io.sluice.perf.workload.Workload;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ComparisonTest {
    private static final Workload STEADY =
            Suites.named("targets").orElseThrow().only("20,000/s").workloads().getFirst();

    @TempDir
    Path data;

    private static final class NeverCalled implements LoadDriver {
        @Override
        public RunResult drive(Turn turn, RunResult.Subject subject, String target, long pid) {
            throw new IllegalStateException("nothing has started");
        }

        @Override
        public RunResult notStarted(Turn turn, String why) {
            return Results.failed(turn, why);
        }
    }

    @Test
    void aServerThatDoesNotStartCostsItsOwnTurnOnlyAndLeavesNothing() throws Exception {
        var entrant = new Entrant(new FakeContender("broken", List.of("kafka")), "kafka");
        List<Turn> turns = Schedule.of(List.of(Suites.check()), List.of(entrant), 1);
        List<RunResult> seen = new ArrayList<>();
        List<RunResult> results = new Comparison(data, new NeverCalled(), line -> {}).run(turns, seen::add);
        assertThat(results)
                .hasSize(2)
                .isEqualTo(seen)
                .allMatch(result -> "broken does not start".equals(result.failure()));
        assertThat(data).isEmptyDirectory();
    }

    @Test
    void aServerThatDoesNotStartFailsEachWorkloadOfItsRow() throws Exception {
        var entrant = new Entrant(new FakeContender("broken", List.of("kafka")), "kafka");
        Suite row = Suites.named("overview").orElseThrow();
        List<Turn> turns = Schedule.of(List.of(row), List.of(entrant), 1);
        assertThat(new Comparison(data, new NeverCalled(), line -> {}).run(turns, result -> {}))
                .extracting(RunResult::workload)
                .isEqualTo(row.workloads());
    }

    @Test
    void ratiosHaveTheMedianAndTheSpreadOfTheRounds() {
        List<RunResult> results = new ArrayList<>();
        double[] sluice = {110, 240, 90};
        for (int round = 1; round <= 3; round++) {
            results.add(Results.of("sluice", round, STEADY, sluice[round - 1], 2, 1));
            results.add(Results.of("kafka", round, STEADY, 100, 4, 2));
        }
        assertThat(RatioLines.of(results, "sluice"))
                .hasSize(2)
                .last()
                .asString()
                .contains("1.10 (0.90..2.40)", "0.50 (0.50..0.50)");
    }

    @Test
    void whatNobodyMeasuredIsADash() {
        assertThat(RatioLines.text(io.sluice.perf.result.Spread.NONE)).isEqualTo("-");
    }
}
