package io.sluice.perf.report;

import io.sluice.perf.report.NativeChart.Place;
import io.sluice.perf.report.NativeChart.Scale;
import io.sluice.perf.report.Table.Column;
import io.sluice.perf.result.Measure;
import io.sluice.perf.result.Ratios;
import io.sluice.perf.result.Verdict;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.apache.poi.xssf.usermodel.XSSFSheet;

/** The ratios: medians first, coloured like the page's; then their spread; a chart per measure below. */
final class SummarySheet {
    private static final int FIRST_MEDIAN = 5;
    private static final int CHART_COLUMNS = 5;

    private final JoinedResults joined;
    private final List<Ratios> ratios;
    private final List<Measure> measures;

    SummarySheet(JoinedResults joined) {
        this.joined = joined;
        this.ratios = joined.ratios();
        this.measures = Arrays.stream(Measure.values())
                .filter(measure ->
                        ratios.stream().anyMatch(row -> row.of(measure).isPresent()))
                .toList();
    }

    void write(XSSFSheet sheet, Table.Styles styles) {
        Table<Ratios> table = new Table<>(sheet, styles, columns());
        ratios.forEach(table::add);
        table.finish();
        if (!ratios.isEmpty()) {
            drawCharts(sheet, table.rowNumber());
        }
    }

    private List<Column<Ratios>> columns() {
        List<Column<Ratios>> columns = new ArrayList<>(List.of(
                Column.text(
                        "Workload, Sluice ÷ peer",
                        44,
                        row -> row.base().workload().name() + " ÷ " + joined.rival(row)),
                Column.text("Suite", row -> row.base().suite()),
                Column.text("Load", 34, row -> Descriptions.briefly(row.base().workload())),
                Column.text("Sluice over", 12, Ratios::protocol),
                Column.text("Commit", row -> row.base().commit())));
        for (Measure measure : measures) {
            columns.add(Column.ratio(
                    measure.title() + (measure.higherIsBetter() ? " (more is better)" : " (less is better)"),
                    row -> row.of(measure).median(),
                    row -> row.verdict(measure)));
        }
        for (Measure measure : measures) {
            columns.add(unjudged(
                    measure.title() + ", lowest round", row -> row.of(measure).low()));
            columns.add(unjudged(
                    measure.title() + ", highest round", row -> row.of(measure).high()));
        }
        columns.add(Column.number("Rounds", this::rounds));
        return columns;
    }

    private static Column<Ratios> unjudged(String title, ToDoubleFunction<Ratios> ratio) {
        return Column.ratio(title, ratio, row -> Verdict.UNKNOWN);
    }

    private int rounds(Ratios row) {
        return measures.stream()
                .mapToInt(measure -> row.of(measure).rounds())
                .max()
                .orElse(0);
    }

    private void drawCharts(XSSFSheet sheet, int lastRow) {
        int rows = Math.clamp(8 + lastRow, 16, 60);
        int column = 0;
        int top = lastRow + 2;
        for (int i = 0; i < measures.size(); i++) {
            Measure measure = measures.get(i);
            // the first columns are wide: one chart fills two of them
            var place = i == 0 ? new Place(0, top, 2, rows) : new Place(column, top, i == 1 ? 3 : CHART_COLUMNS, rows);
            column = place.column() + place.columns();
            var chart = NativeChart.bars(sheet, place, measure.title() + ", Sluice ÷ peer", new Scale("ratio", false));
            chart.addBars(Palette.SLUICE, 0, FIRST_MEDIAN + i, 0, 1, lastRow);
            chart.plot();
        }
    }
}
