package io.sluice.perf.report;

import io.sluice.perf.report.Chart.Axis;
import io.sluice.perf.report.Chart.Line;
import io.sluice.perf.report.Chart.Point;
import io.sluice.perf.report.Chart.Scale;
import io.sluice.perf.result.RunResult.Figures;
import io.sluice.perf.result.RunResult.Latency;
import io.sluice.perf.result.RunResult.Percentile;
import java.util.List;
import java.util.function.Function;

/** The whole distribution of latency, tail included, of the typical round of each contender. */
final class PercentileChart {
    private final Charts charts;

    PercentileChart(Charts charts) {
        this.charts = charts;
    }

    List<Chart> of(Case each) {
        return List.of(
                chart(each, "Publish latency", Figures::publish), chart(each, "End-to-end latency", Figures::endToEnd));
    }

    private Chart chart(Case each, String title, Function<Figures, Latency> latency) {
        List<Line> lines = charts.lines(
                each,
                typical -> points(latency.apply(typical.figures())).stream()
                        .filter(point -> point.percentile() < 100)
                        .map(point -> Point.of(point.percentile(), point.millis()))
                        .toList());
        return new Chart(title, new Axis(Scale.PERCENTILE, "percentile"), new Axis(Scale.LOG, "ms (log)"), lines);
    }

    /** The maximum of n records counts as the percentile that one in n exceeds. Empty where nothing was measured. */
    static List<Percentile> points(Latency latency) {
        if (latency.count() <= 0) {
            return List.of();
        }
        double last = 100 * (1 - 1.0 / latency.count());
        List<Percentile> curve = latency.curve().isEmpty() ? summary(latency) : latency.curve();
        return curve.stream()
                .map(point -> new Percentile(Math.min(point.percentile(), last), point.millis()))
                .toList();
    }

    private static List<Percentile> summary(Latency latency) {
        return List.of(
                new Percentile(50, latency.p50()),
                new Percentile(95, latency.p95()),
                new Percentile(99, latency.p99()),
                new Percentile(99.9, latency.p999()),
                new Percentile(100, latency.max()));
    }
}
