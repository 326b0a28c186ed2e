package io.sluice.perf.report;

import io.sluice.perf.report.NativeChart.Place;
import io.sluice.perf.report.NativeChart.Scale;
import io.sluice.perf.report.Table.Head;
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

    private final Joined joined;
    private final Palette palette;

    SystemsSheet(Joined joined, Palette palette) {
        this.joined = joined;
        this.palette = palette;
    }

    void write(XSSFSheet sheet, Table.Styles styles) {
        List<Head> heads = new ArrayList<>(List.of(Head.text("Workload", 30), Head.text("Figure")));
        joined.contenders().forEach(contender -> heads.add(Head.number(joined.label(contender))));
        Table table = new Table(sheet, styles, heads);
        List<Integer> firstRows = new ArrayList<>();
        for (Figure figure : FIGURES) {
            firstRows.add(table.rowNumber() + 1);
            joined.cases().forEach(each -> writeRow(table, figure, each));
        }
        table.finish();
        int rows = Math.max(
                MIN_CHART_ROWS, joined.cases().size() * (joined.contenders().size() + 1) / 2);
        for (int i = 0; i < FIGURES.size(); i++) {
            var place = new Place(
                    heads.size() + 1 + i % 2 * (CHART_COLUMNS + 1), 1 + i / 2 * (rows + 1), CHART_COLUMNS, rows);
            draw(sheet, place, FIGURES.get(i), firstRows.get(i));
        }
    }

    private void writeRow(Table table, Figure figure, Case each) {
        table.row().text(each.workload().name()).text(figure.title());
        joined.contenders()
                .forEach(contender ->
                        table.number(each.spread(contender, figure.of()).median()));
    }

    private void draw(XSSFSheet sheet, Place place, Figure figure, int firstRow) {
        var chart = NativeChart.bars(sheet, place, figure.title(), new Scale(figure.title(), figure.log()));
        int column = 2;
        for (Contender contender : joined.contenders()) {
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
