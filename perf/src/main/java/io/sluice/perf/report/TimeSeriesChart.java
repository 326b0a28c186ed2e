package io.sluice.perf.report;

import io.sluice.perf.report.Chart.Axis;
import io.sluice.perf.report.Chart.Line;
import io.sluice.perf.report.Chart.Point;
import io.sluice.perf.report.Chart.Scale;
import io.sluice.perf.result.RunResult.Second;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Second by second, the typical round of each contender. */
final class TimeSeriesChart {
    private static final String MILLIS = "ms, per second (log)";

    private final Charts charts;

    TimeSeriesChart(Charts charts) {
        this.charts = charts;
    }

    List<Chart> of(Case each) {
        List<Chart> all = new ArrayList<>();
        all.add(chart(each, "Throughput", new Axis(Scale.LINEAR, "records/s acknowledged"), Second::published));
        all.add(chart(each, "Publish p99", new Axis(Scale.LOG, MILLIS), Second::publishP99));
        all.add(chart(each, "End-to-end p99", new Axis(Scale.LOG, MILLIS), Second::endToEndP99));
        if (hasBacklog(each)) {
            all.add(chart(each, "Backlog", new Axis(Scale.LINEAR, "records"), Second::backlog));
        }
        all.add(chart(
                each,
                "Server memory",
                new Axis(Scale.LINEAR, "MB resident"),
                second -> positive(second.serverResidentBytes()) / 1e6));
        all.add(chart(each, "Server CPU", new Axis(Scale.LINEAR, "cores"), second -> positive(second.serverCores())));
        return all;
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

    private Chart chart(Case each, String title, Axis y, ToDoubleFunction<Second> figure) {
        List<Line> lines = charts.lines(
                each,
                typical -> typical.series().stream()
                        .map(second -> Point.of(second.second(), figure.applyAsDouble(second)))
                        .toList());
        return new Chart(title, new Axis(Scale.LINEAR, "seconds"), y, lines);
    }
}
