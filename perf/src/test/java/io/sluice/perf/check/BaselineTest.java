package io.sluice.perf.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.perf.compare.Results;
import io.sluice.perf.result.RunResult;
import io.sluice.perf.result.RunResult.Machine;
import io.sluice.perf.suite.Suites;
import io.sluice.perf.workload.Workload;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BaselineTest {
    private static final Workload FLAT_OUT = Suites.check().workloads().getFirst();
    private static final Workload STEADY = Suites.check().workloads().getLast();
    private static final Baseline THEN = baseline(2, 1);

    @TempDir
    Path folder;

    /** Kafka has a p99 of 4 ms and 2 core-seconds per GB. */
    private static Baseline baseline(double p99, double cpu) {
        return Baseline.of(List.of(
                Results.of("sluice", 1, STEADY, 20_000, p99, cpu), Results.of("kafka", 1, STEADY, 20_000, 4, 2)));
    }

    private static Baseline onAnotherMachine(Baseline baseline) {
        return new Baseline(new Machine("other", 64, 1L << 38, "Linux", "25"), baseline.commit(), baseline.readings());
    }

    @Test
    void readingsAreMediansOverTheRounds() {
        List<RunResult> results = List.of(
                Results.of("sluice", 1, STEADY, 20_000, 2, 1),
                Results.of("kafka", 1, STEADY, 20_000, 4, 2),
                Results.of("kafka", 2, STEADY, 20_000, 4, 2),
                Results.of("sluice", 2, STEADY, 20_000, 6, 3));
        assertThat(Baseline.of(results).readings())
                .containsExactlyInAnyOrder(
                        new Reading(STEADY.name(), Gauge.CPU_PER_GB, 2),
                        new Reading(STEADY.name(), Gauge.CPU_TO_KAFKA, 1),
                        new Reading(STEADY.name(), Gauge.P99_TO_KAFKA, 1));
    }

    @Test
    void flatOutNoLatencyIsWatched() {
        List<RunResult> results = List.of(
                Results.of("sluice", 1, FLAT_OUT, 300_000, 200, 1), Results.of("kafka", 1, FLAT_OUT, 300_000, 90, 2));
        assertThat(Baseline.of(results).readings())
                .extracting(Reading::gauge)
                .containsExactlyInAnyOrder(Gauge.CPU_PER_GB, Gauge.CPU_TO_KAFKA);
    }

    @Test
    void aFifthMoreIsWorseAndLessThanThatIsNot() {
        assertThat(THEN.complaints(baseline(2, 1.19))).isEmpty();
        assertThat(THEN.complaints(baseline(2, 1.21)))
                .singleElement()
                .asString()
                .contains(STEADY.name(), "core·s/GB is 1.21, was 1.00: +21 %");
        assertThat(THEN.complaints(baseline(2.5, 1)))
                .singleElement()
                .asString()
                .contains("p99 to Kafka's is 0.63, was 0.50");
        assertThat(THEN.complaints(baseline(0.1, 0.1))).isEmpty();
    }

    @Test
    void inASlowHourCpuIsNotWorseUnlessKafkasIsBetter() {
        assertThat(THEN.complaints(of(2, 4))).isEmpty();
        assertThat(THEN.complaints(of(2, 3)))
                .singleElement()
                .asString()
                .contains("core·s/GB is 2.00, was 1.00: +100 %");
        assertThat(THEN.complaints(of(1, 1)))
                .as("Kafka alone has become better")
                .isEmpty();
    }

    @Test
    void onAnotherMachineCpuCountsRelativeToKafka() {
        assertThat(THEN.complaints(onAnotherMachine(of(2, 4)))).isEmpty();
        assertThat(THEN.complaints(onAnotherMachine(baseline(2, 1.5))))
                .singleElement()
                .asString()
                .contains("CPU to Kafka's");
    }

    private static Baseline of(double cpu, double cpuOfKafka) {
        return Baseline.of(List.of(
                Results.of("sluice", 1, STEADY, 20_000, 2, cpu),
                Results.of("kafka", 1, STEADY, 20_000, 4, cpuOfKafka)));
    }

    @Test
    void whatIsNoLongerMeasuredIsAComplaint() {
        var nothing = new Baseline(THEN.machine(), THEN.commit(), List.of());
        assertThat(THEN.complaints(nothing)).hasSize(2).allMatch(line -> line.endsWith("could not be measured"));
    }

    @Test
    void isReadAsItWasWritten() throws Exception {
        Path file = folder.resolve("baseline.json");
        THEN.write(file);
        assertThat(Baseline.read(file)).isEqualTo(THEN);
    }

    @Test
    void aFileThatIsMissingOrNoBaselineIsSaidInALine() throws Exception {
        Path file = folder.resolve("baseline.json");
        assertThatThrownBy(() -> Baseline.read(file)).hasMessageContaining("--update");
        Files.writeString(file, "[1");
        assertThatThrownBy(() -> Baseline.read(file)).hasMessageContaining("is not a baseline");
    }
}
