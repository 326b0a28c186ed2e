package io.sluice.perf.report;

import io.sluice.perf.report.NativeChart.Place;
import io.sluice.perf.report.NativeChart.Scale;
import io.sluice.perf.report.Sweep.Step;
import io.sluice.perf.report.Table.Column;
import java.util.List;
import org.apache.poi.xssf.usermodel.XSSFSheet;

/** Latency against throughput: medians over the rounds, and two charts per sweep. */
final class SweepsSheet {
    private static final int ACHIEVED = 4;
    private static final int PUBLISH = 5;
    private static final int END_TO_END = 6;
    private static final int CHART_COLUMNS = 9;
    private static final int CHART_ROWS = 22;

    private final Charts charts;

    SweepsSheet(Charts charts) {
        this.charts = charts;
    }

    private record Row(Sweep sweep, MeasuredSystem contender, Step step) {}

    void write(XSSFSheet sheet, Table.Styles styles, List<Sweep> sweeps) {
        Table<Row> table = new Table<>(
                sheet,
                styles,
                List.of(
                        Column.text("Sweep", row -> row.sweep().suite()),
                        Column.text(
                                "Load",
                                row -> Descriptions.withoutRate(row.sweep().shape())),
                        Column.text("System", row -> charts.joined().label(row.contender())),
                        Column.number("Offered, records/s", row -> row.step().offered()),
                        Column.number(
                                "Acknowledged, records/s",
                                row -> row.step().achieved().median()),
                        Column.number(
                                "Publish p99, ms",
                                row -> row.step().publishP99().median()),
                        Column.number(
                                "End-to-end p99, ms",
                                row -> row.step().endToEndP99().median())));
        for (int i = 0; i < sweeps.size(); i++) {
            Sweep sweep = sweeps.get(i);
            int top = 1 + i * (CHART_ROWS + 1);
            String title = sweep.suite() + ", " + Descriptions.withoutRate(sweep.shape());
            var x = new Scale("records/s acknowledged and read", false);
            var publish = NativeChart.lines(
                    sheet, new Place(8, top, CHART_COLUMNS, CHART_ROWS), title, x, new Scale("publish p99, ms", true));
            var endToEnd = NativeChart.lines(
                    sheet,
                    new Place(9 + CHART_COLUMNS, top, CHART_COLUMNS, CHART_ROWS),
                    title,
                    x,
                    new Scale("end-to-end p99, ms", true));
            sweep.curves().forEach((contender, steps) -> {
                int first = table.rowNumber() + 1;
                steps.forEach(step -> table.add(new Row(sweep, contender, step)));
                publish.addLine(charts.key(contender), ACHIEVED, PUBLISH, first, table.rowNumber());
                endToEnd.addLine(charts.key(contender), ACHIEVED, END_TO_END, first, table.rowNumber());
            });
            publish.plot();
            endToEnd.plot();
        }
        table.finish();
    }
}
