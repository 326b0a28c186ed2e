package io.sluice.perf.report;

import io.sluice.perf.report.NativeChart.Place;
import io.sluice.perf.report.NativeChart.Scale;
import io.sluice.perf.report.Table.Column;
import io.sluice.perf.result.RunResult;
import io.sluice.perf.result.RunResult.Second;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.apache.poi.xssf.usermodel.XSSFSheet;

/** Second by second, each contender's typical round, and charts of throughput and publish p99 per workload. */
final class SeriesSheet {
    private static final int SECOND = 4;
    private static final int MAX_ROWS = 20_000;
    private static final int CHART_COLUMNS = 9;
    private static final int CHART_ROWS = 22;
    private static final int FIRST_CHART_COLUMN = 16;

    private record Drawn(int column, String unit, boolean log) {}

    private static final List<Drawn> DRAWN =
            List.of(new Drawn(5, "records/s acknowledged", false), new Drawn(9, "publish p99, ms", true));

    private record Row(RunResult result, Second second) {}

    private List<Column<Row>> columns(Thinning thinning) {
        return List.of(
                Column.text("Suite", row -> row.result().suite()),
                Column.text("Workload", row -> row.result().workload().name()),
                Column.text("System", row -> charts.joined().label(MeasuredSystem.of(row.result()))),
                Column.number("Round", row -> row.result().round()),
                second("Second" + thinning.note(), Second::second),
                second("Published, records", Second::published),
                second("Consumed, records", Second::consumed),
                second("Backlog, records", Second::backlog),
                second("Publish p50, ms", Second::publishP50),
                second("Publish p99, ms", second -> positive(second.publishP99())),
                second("Publish max, ms", Second::publishMax),
                second("End-to-end p99, ms", Second::endToEndP99),
                second("Server cores", second -> positive(second.serverCores())),
                second("Server memory, MB", second -> positive(second.serverResidentBytes()) / 1e6),
                second(
                        "Server disk writes, MB",
                        second ->
                                second.serverDiskWriteBytes() < 0 ? Double.NaN : second.serverDiskWriteBytes() / 1e6));
    }

    private static Column<Row> second(String title, ToDoubleFunction<Second> figure) {
        return Column.number(title, row -> figure.applyAsDouble(row.second()));
    }

    private final Charts charts;

    SeriesSheet(Charts charts) {
        this.charts = charts;
    }

    void write(XSSFSheet sheet, Table.Styles styles) {
        long seconds = charts.joined().cases().stream()
                .flatMap(each -> each.contenders().stream().map(each::typical))
                .mapToLong(typical -> typical.series().size())
                .sum();
        Thinning thinning = Thinning.to(MAX_ROWS, seconds);
        Table<Row> table = new Table<>(sheet, styles, columns(thinning));
        int top = 1;
        for (Case each : charts.joined().cases()) {
            if (writeCase(table, each, thinning, top)) {
                top += CHART_ROWS + 1;
            }
        }
        table.finish();
    }

    private record Rows(MeasuredSystem contender, int first, int last) {}

    private boolean writeCase(Table<Row> table, Case each, Thinning thinning, int top) {
        List<Rows> written = new ArrayList<>();
        for (MeasuredSystem contender : each.contenders()) {
            RunResult typical = each.typical(contender);
            int first = table.rowNumber() + 1;
            thinning.of(typical.series()).forEach(second -> table.add(new Row(typical, second)));
            if (table.rowNumber() >= first) {
                written.add(new Rows(contender, first, table.rowNumber()));
            }
        }
        if (written.isEmpty()) {
            return false;
        }
        int column = FIRST_CHART_COLUMN;
        for (Drawn drawn : DRAWN) {
            draw(table.sheet(), new Place(column, top, CHART_COLUMNS, CHART_ROWS), each, drawn, written);
            column += CHART_COLUMNS + 1;
        }
        return true;
    }

    private void draw(XSSFSheet sheet, Place place, Case each, Drawn drawn, List<Rows> written) {
        var chart = NativeChart.lines(
                sheet,
                place,
                each.workload().name(),
                new Scale("seconds", false),
                new Scale(drawn.unit(), drawn.log()));
        for (Rows rows : written) {
            chart.addLine(charts.key(rows.contender()), SECOND, drawn.column(), rows.first(), rows.last());
        }
        chart.plot();
    }

    /** Unknown values are negative; and a logarithmic axis has no 0. */
    private static double positive(double value) {
        return value > 0 ? value : Double.NaN;
    }
}
