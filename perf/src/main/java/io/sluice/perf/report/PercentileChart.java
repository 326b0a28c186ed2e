package io.sluice.perf.report;

import io.sluice.perf.report.Plot.Curve;
import io.sluice.perf.report.Plot.Point;
import io.sluice.perf.result.RunResult;
import io.sluice.perf.result.RunResult.Figures;
import io.sluice.perf.result.RunResult.Latency;
import io.sluice.perf.result.RunResult.Percentile;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.DoubleStream;

/** The whole distribution of latency, tail included, of the typical round of each contender. */
final class PercentileChart {
    private final Charts charts;

    PercentileChart(Charts charts) {
        this.charts = charts;
    }

    void write(Markup out, Case each) {
        write(out, each, "Publish latency", Figures::publish);
        write(out, each, "End-to-end latency", Figures::endToEnd);
    }

    private void write(Markup out, Case each, String title, Function<Figures, Latency> latency) {
        List<Curve> curves = new ArrayList<>();
        for (Contender contender : each.contenders()) {
            RunResult typical = each.typical(contender);
            curves.add(new Curve(
                    charts.palette().of(contender),
                    charts.legend().isDashed(contender),
                    charts.joined().label(contender) + ", " + each.roundOf(contender),
                    points(latency.apply(typical.figures())).stream()
                            .map(point -> Point.of(point.percentile(), point.millis()))
                            .toList(),
                    false));
        }
        DoubleStream percentiles = curves.stream()
                .flatMap(curve -> curve.points().stream())
                .filter(point -> point.y() > 0)
                .mapToDouble(Point::x);
        DoubleStream millis =
                curves.stream().flatMap(curve -> curve.points().stream()).mapToDouble(Point::y);
        new Plot(title, Axis.percentiles("percentile", percentiles), Axis.log("ms (log)", millis)).write(out, curves);
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
