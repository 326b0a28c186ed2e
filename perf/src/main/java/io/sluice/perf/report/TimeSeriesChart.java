package io.sluice.perf.report;

import io.sluice.perf.report.Plot.Curve;
import io.sluice.perf.report.Plot.Point;
import io.sluice.perf.result.RunResult.Second;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;

/** Second by second, the typical round of each contender. */
final class TimeSeriesChart {
    private final Charts charts;

    TimeSeriesChart(Charts charts) {
        this.charts = charts;
    }

    private enum Scale {
        LINEAR,
        LOG
    }

    void write(Markup out, Case each) {
        write(out, each, "Throughput", "records/s acknowledged", Scale.LINEAR, Second::published);
        write(out, each, "Publish p99", "ms, per second (log)", Scale.LOG, Second::publishP99);
        write(out, each, "End-to-end p99", "ms, per second (log)", Scale.LOG, Second::endToEndP99);
        if (hasBacklog(each)) {
            write(out, each, "Backlog", "records", Scale.LINEAR, Second::backlog);
        }
        write(
                out,
                each,
                "Server memory",
                "MB resident",
                Scale.LINEAR,
                second -> positive(second.serverResidentBytes()) / 1e6);
        write(out, each, "Server CPU", "cores", Scale.LINEAR, second -> positive(second.serverCores()));
    }

    private static boolean hasBacklog(Case each) {
        return each.contenders().stream()
                .flatMap(contender -> each.typical(contender).series().stream())
                .anyMatch(second -> second.backlog() > 0);
    }

    /** Unknown values are negative, and a live process uses something. */
    private static double positive(double value) {
        return value > 0 ? value : Double.NaN;
    }

    private void write(Markup out, Case each, String title, String unit, Scale scale, ToDoubleFunction<Second> figure) {
        List<Curve> curves = new ArrayList<>();
        for (Contender contender : each.contenders()) {
            curves.add(new Curve(
                    charts.palette().of(contender),
                    charts.legend().isDashed(contender),
                    charts.joined().label(contender) + ", " + each.roundOf(contender),
                    each.typical(contender).series().stream()
                            .map(second -> Point.of(second.second(), figure.applyAsDouble(second)))
                            .toList(),
                    false));
        }
        Axis x = Axis.time(
                "seconds",
                curves.stream()
                        .flatMap(curve -> curve.points().stream())
                        .mapToDouble(Point::x)
                        .max()
                        .orElse(0));
        DoubleStream values =
                curves.stream().flatMap(curve -> curve.points().stream()).mapToDouble(Point::y);
        new Plot(title, x, scale == Scale.LOG ? Axis.log(unit, values) : Axis.linear(unit, values)).write(out, curves);
    }
}
