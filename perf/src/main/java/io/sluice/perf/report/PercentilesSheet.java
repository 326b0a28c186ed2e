package io.sluice.perf.report;

import io.sluice.perf.report.NativeChart.Place;
import io.sluice.perf.report.NativeChart.Scale;
import io.sluice.perf.report.Table.Column;
import io.sluice.perf.result.RunResult;
import io.sluice.perf.result.RunResult.Figures;
import io.sluice.perf.result.RunResult.Latency;
import io.sluice.perf.result.RunResult.Percentile;
import java.util.List;
import java.util.function.Function;
import org.apache.poi.xssf.usermodel.XSSFSheet;

/** The distributions of latency of each contender's typical round, and two charts per workload. */
final class PercentilesSheet {
    private static final int ONE_IN = 6;
    private static final int MILLIS = 7;
    private static final int MAX_ROWS = 15_000;
    private static final int CHART_COLUMNS = 9;
    private static final int CHART_ROWS = 22;

    private final Charts charts;
    private final Thinning thinning;

    PercentilesSheet(Charts charts) {
        this.charts = charts;
        long points = charts.joined().cases().stream()
                .flatMap(each -> each.contenders().stream().map(each::typical))
                .map(RunResult::figures)
                .mapToLong(figures -> figures.publish().curve().size()
                        + figures.endToEnd().curve().size())
                .sum();
        this.thinning = Thinning.to(MAX_ROWS, points);
    }

    private record Row(Case each, MeasuredSystem contender, String kind, Percentile point) {}

    void write(XSSFSheet sheet, Table.Styles styles) {
        Table<Row> table = new Table<>(
                sheet,
                styles,
                List.of(
                        Column.text("Suite", row -> row.each().suite()),
                        Column.text("Workload", row -> row.each().workload().name()),
                        Column.text("System", row -> charts.joined().label(row.contender())),
                        Column.number(
                                "Round",
                                row -> row.each().typical(row.contender()).round()),
                        Column.text("Latency", Row::kind),
                        Column.percentile(
                                "Percentile" + thinning.note(),
                                row -> row.point().percentile()),
                        Column.number(
                                "Slower is one in",
                                row -> 100 / (100 - row.point().percentile())),
                        Column.number("ms", row -> row.point().millis())));
        int top = 1;
        for (Case each : charts.joined().cases()) {
            writeCase(table, each, "publish", Figures::publish, new Place(9, top, CHART_COLUMNS, CHART_ROWS));
            var beside = new Place(10 + CHART_COLUMNS, top, CHART_COLUMNS, CHART_ROWS);
            writeCase(table, each, "end-to-end", Figures::endToEnd, beside);
            top += CHART_ROWS + 1;
        }
        table.finish();
    }

    private void writeCase(Table<Row> table, Case each, String kind, Function<Figures, Latency> latency, Place place) {
        boolean measured = each.contenders().stream()
                .anyMatch(contender ->
                        latency.apply(each.typical(contender).figures()).count() > 0);
        if (!measured) {
            return;
        }
        var chart = NativeChart.lines(
                table.sheet(),
                place,
                each.workload().name() + ", " + kind,
                new Scale("slower is one in (10: p90, 100: p99)", true),
                new Scale("ms", true));
        for (MeasuredSystem contender : each.contenders()) {
            int first = table.rowNumber() + 1;
            thinning
                    .of(PercentileChart.points(
                            latency.apply(each.typical(contender).figures())))
                    .stream()
                    .filter(point -> point.percentile() < 100 && point.millis() > 0)
                    .forEach(point -> table.add(new Row(each, contender, kind, point)));
            if (table.rowNumber() >= first) {
                chart.addLine(charts.key(contender), ONE_IN, MILLIS, first, table.rowNumber());
            }
        }
        chart.plot();
    }
}
