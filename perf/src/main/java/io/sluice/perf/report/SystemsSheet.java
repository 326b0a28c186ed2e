package io.sluice.perf.report;

import io.sluice.perf.report.NativeChart.Place;
import io.sluice.perf.report.NativeChart.Scale;
import io.sluice.perf.report.Table.Column;
import io.sluice.perf.result.Measure;
import io.sluice.perf.result.RunResult;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.apache.poi.xssf.usermodel.XSSFSheet;

/** Medians over the rounds: workloads down, systems across, a block and a bar chart per figure. */
final class SystemsSheet {
    private record Figure(String title, boolean log, ToDoubleFunction<RunResult> of) {}

    private static final List<Figure> FIGURES = List.of(
            new Figure(
                    "Acknowledged and read, MB/s",
                    false,
                    result -> result.sustainedPerSecond() * result.workload().messageSize() / 1e6),
            new Figure("Publish p99, ms", true, Measure.PUBLISH_P99::of),
            new Figure("End-to-end p99, ms", true, Measure.END_TO_END_P99::of),
            new Figure("Server core·s/GB", false, Measure.CPU_PER_GB::of));
    private static final int CHART_COLUMNS = 9;
    private static final int MIN_CHART_ROWS = 18;

    private final JoinedResults joined;
    private final Palette palette;

    SystemsSheet(JoinedResults joined, Palette palette) {
        this.joined = joined;
        this.palette = palette;
    }

    private record Row(Figure figure, Case each) {}

    void write(XSSFSheet sheet, Table.Styles styles) {
        List<Column<Row>> columns = new ArrayList<>(List.of(
                Column.text("Workload", 30, row -> row.each().workload().name()),
                Column.text("Figure", row -> row.figure().title())));
        joined.contenders()
                .forEach(contender -> columns.add(Column.number(
                        joined.label(contender),
                        row -> row.each().spread(contender, row.figure().of()).median())));
        Table<Row> table = new Table<>(sheet, styles, columns);
        List<Integer> firstRows = new ArrayList<>();
        for (Figure figure : FIGURES) {
            firstRows.add(table.rowNumber() + 1);
            joined.cases().forEach(each -> table.add(new Row(figure, each)));
        }
        table.finish();
        int rows = Math.max(
                MIN_CHART_ROWS, joined.cases().size() * (joined.contenders().size() + 1) / 2);
        for (int i = 0; i < FIGURES.size(); i++) {
            var place = new Place(
                    columns.size() + 1 + i % 2 * (CHART_COLUMNS + 1), 1 + i / 2 * (rows + 1), CHART_COLUMNS, rows);
            draw(sheet, place, FIGURES.get(i), firstRows.get(i));
        }
    }

    private void draw(XSSFSheet sheet, Place place, Figure figure, int firstRow) {
        var chart = NativeChart.bars(sheet, place, figure.title(), new Scale(figure.title(), figure.log()));
        int column = 2;
        for (MeasuredSystem contender : joined.contenders()) {
            chart.addBars(
                    palette.of(contender),
                    0,
                    column++,
                    0,
                    firstRow,
                    firstRow + joined.cases().size() - 1);
        }
        chart.plot();
    }
}
