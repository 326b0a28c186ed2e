package io.sluice.perf.report;

import io.sluice.perf.report.Chart.Axis;
import io.sluice.perf.report.Chart.Line;
import io.sluice.perf.report.Chart.Point;
import io.sluice.perf.report.Chart.Scale;
import io.sluice.perf.report.Sweep.Step;
import io.sluice.perf.result.Spread;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** A sweep: how latency rises as the rate does. Down and to the right is better. */
final class LatencyThroughputChart {
    private final Charts charts;

    LatencyThroughputChart(Charts charts) {
        this.charts = charts;
    }

    List<Chart> of(Sweep sweep) {
        return List.of(
                chart(sweep, "Publish p99 against throughput", Step::publishP99),
                chart(sweep, "End-to-end p99 against throughput", Step::endToEndP99));
    }

    private Chart chart(Sweep sweep, String title, Function<Step, Spread> latency) {
        List<Line> lines = new ArrayList<>();
        sweep.curves()
                .forEach((contender, steps) -> lines.add(Line.ofMeasurements(
                        charts.key(contender),
                        steps.stream()
                                .map(step -> point(step, latency.apply(step), contender))
                                .toList())));
        return new Chart(
                title,
                new Axis(Scale.LINEAR, "records/s acknowledged and read"),
                new Axis(Scale.LOG, "p99, ms (log)"),
                lines);
    }

    private Point point(Step step, Spread latency, MeasuredSystem contender) {
        String range = Numbers.range(latency, Numbers::of);
        String text = "%s, offered %s/s: %s/s acknowledged, p99 %s ms%s"
                .formatted(
                        charts.joined().label(contender),
                        Numbers.of(step.offered()),
                        Numbers.of(step.achieved().median()),
                        Numbers.of(latency.median()),
                        range.isEmpty() ? "" : " (" + range + ")");
        return Point.of(step.achieved().median(), latency.median(), latency.low(), latency.high(), text);
    }
}
