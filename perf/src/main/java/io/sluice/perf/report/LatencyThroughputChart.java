package io.sluice.perf.report;

import io.sluice.perf.report.Plot.Curve;
import io.sluice.perf.report.Plot.Point;
import io.sluice.perf.report.Sweep.Step;
import io.sluice.perf.result.Spread;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.DoubleStream;

/** A sweep: how latency rises as the rate does. Down and to the right is better. */
final class LatencyThroughputChart {
    private final Charts charts;

    LatencyThroughputChart(Charts charts) {
        this.charts = charts;
    }

    void write(Markup out, Sweep sweep) {
        write(out, sweep, "Publish p99 against throughput", Step::publishP99);
        write(out, sweep, "End-to-end p99 against throughput", Step::endToEndP99);
    }

    private void write(Markup out, Sweep sweep, String title, Function<Step, Spread> latency) {
        List<Step> all = sweep.curves().values().stream().flatMap(List::stream).toList();
        Axis x = Axis.linear(
                "records/s acknowledged and read",
                all.stream().mapToDouble(step -> step.achieved().median()));
        Axis y = Axis.log(
                "p99, ms (log)",
                all.stream().map(latency).flatMapToDouble(spread -> DoubleStream.of(spread.low(), spread.high())));
        List<Curve> curves = new ArrayList<>();
        sweep.curves()
                .forEach((contender, steps) -> curves.add(new Curve(
                        charts.palette().of(contender),
                        charts.legend().isDashed(contender),
                        charts.joined().label(contender),
                        steps.stream()
                                .map(step -> point(step, latency.apply(step), contender))
                                .toList(),
                        true)));
        new Plot(title, x, y).write(out, curves);
    }

    private Point point(Step step, Spread latency, Contender contender) {
        String range = Numbers.range(latency, Numbers::of);
        String title = "%s, offered %s/s: %s/s acknowledged, p99 %s ms%s"
                .formatted(
                        charts.joined().label(contender),
                        Numbers.of(step.offered()),
                        Numbers.of(step.achieved().median()),
                        Numbers.of(latency.median()),
                        range.isEmpty() ? "" : " (" + range + ")");
        return new Point(step.achieved().median(), latency.median(), latency.low(), latency.high(), title);
    }
}
