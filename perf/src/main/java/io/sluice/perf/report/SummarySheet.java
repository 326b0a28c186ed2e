package io.sluice.perf.report;

import io.sluice.perf.report.NativeChart.Place;
import io.sluice.perf.report.NativeChart.Scale;
import io.sluice.perf.report.Table.Head;
import io.sluice.perf.result.Measure;
import io.sluice.perf.result.Ratios;
import io.sluice.perf.result.Verdict;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.poi.xssf.usermodel.XSSFSheet;

/** The ratios: medians first, coloured like the page's; then their spread; a chart per measure below. */
final class SummarySheet {
    private static final int FIRST_MEDIAN = 5;
    private static final int CHART_COLUMNS = 5;

    private final Joined joined;
    private final List<Ratios> ratios;
    private final List<Measure> measures;

    SummarySheet(Joined joined) {
        this.joined = joined;
        this.ratios = joined.ratios();
        this.measures = Arrays.stream(Measure.values())
                .filter(measure ->
                        ratios.stream().anyMatch(row -> row.of(measure).isPresent()))
                .toList();
    }

    void write(XSSFSheet sheet, Table.Styles styles) {
        Table table = new Table(sheet, styles, heads());
        for (Ratios row : ratios) {
            writeRow(table, row);
        }
        table.finish();
        if (!ratios.isEmpty()) {
            drawCharts(sheet, table.rowNumber());
        }
    }

    private List<Head> heads() {
        List<Head> heads = new ArrayList<>(List.of(
                Head.text("Workload, Sluice ÷ peer", 44),
                Head.text("Suite"),
                Head.text("Load", 34),
                Head.text("Sluice over", 12),
                Head.text("Commit")));
        measures.forEach(measure -> heads.add(
                Head.number(measure.title() + (measure.higherIsBetter() ? " (more is better)" : " (less is better)"))));
        for (Measure measure : measures) {
            heads.add(Head.number(measure.title() + ", lowest round"));
            heads.add(Head.number(measure.title() + ", highest round"));
        }
        heads.add(Head.number("Rounds"));
        return heads;
    }

    private void writeRow(Table table, Ratios row) {
        Ratios.Base base = row.base();
        table.row()
                .text(base.workload().name() + " ÷ " + joined.rival(row))
                .text(base.suite())
                .text(Described.briefly(base.workload()))
                .text(row.protocol())
                .text(base.commit());
        measures.forEach(measure -> table.ratio(row.of(measure).median(), row.verdict(measure)));
        measures.forEach(measure -> table.ratio(row.of(measure).low(), Verdict.UNKNOWN)
                .ratio(row.of(measure).high(), Verdict.UNKNOWN));
        table.number(measures.stream()
                .mapToInt(measure -> row.of(measure).rounds())
                .max()
                .orElse(0));
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
