package io.sluice.perf.check;

import io.sluice.perf.result.Measure;
import io.sluice.perf.result.Ratios;
import io.sluice.perf.result.RunResult;
import io.sluice.perf.result.Spread;
import io.sluice.perf.workload.Workload;
import java.util.List;

/** Figures that are watched; less is better. Values are medians over the rounds. */
public enum Gauge {
    CPU_PER_GB("server CPU, core·s/GB"),
    CPU_TO_KAFKA("server CPU to Kafka's"),
    P99_TO_KAFKA("publish p99 to Kafka's");

    private static final String KAFKA = "kafka";

    private final String title;

    Gauge(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }

    /** Whether it depends on the machine, and so says nothing on another. */
    boolean isOfMachine() {
        return this == CPU_PER_GB;
    }

    /** Flat out, a latency is how much the client may buffer, not what the server does. */
    boolean appliesTo(Workload workload) {
        return this != P99_TO_KAFKA || workload.producerRate() > 0;
    }

    /** Over all rounds of one workload, of Sluice and of Kafka; no rounds if it could not be measured. */
    Spread of(List<RunResult> results) {
        return switch (this) {
            case CPU_PER_GB ->
                Spread.of(results.stream()
                        .filter(result -> result.failure() == null)
                        .filter(result -> result.subject().name().equals(Ratios.SLUICE))
                        .mapToDouble(Measure.CPU_PER_GB::of));
            case CPU_TO_KAFKA -> ratio(results, Measure.CPU_PER_GB);
            case P99_TO_KAFKA -> ratio(results, Measure.PUBLISH_P99);
        };
    }

    private static Spread ratio(List<RunResult> results, Measure measure) {
        return Ratios.of(results).stream()
                .filter(ratios -> ratios.peer().name().equals(KAFKA))
                .map(ratios -> ratios.of(measure))
                .findFirst()
                .orElse(Spread.NONE);
    }
}
