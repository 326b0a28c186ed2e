package io.sluice.perf.report;

import io.sluice.perf.report.NativeChart.Place;
import io.sluice.perf.report.NativeChart.Scale;
import io.sluice.perf.report.Table.Head;
import io.sluice.perf.result.RunResult;
import io.sluice.perf.result.RunResult.Second;
import java.util.ArrayList;
import java.util.List;
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

    private static List<Head> heads(Thinning thinning) {
        return List.of(
                Head.text("Suite"),
                Head.text("Workload"),
                Head.text("System"),
                Head.number("Round"),
                Head.number("Second" + thinning.note()),
                Head.number("Published, records"),
                Head.number("Consumed, records"),
                Head.number("Backlog, records"),
                Head.number("Publish p50, ms"),
                Head.number("Publish p99, ms"),
                Head.number("Publish max, ms"),
                Head.number("End-to-end p99, ms"),
                Head.number("Server cores"),
                Head.number("Server memory, MB"),
                Head.number("Server disk writes, MB"));
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
        Table table = new Table(sheet, styles, heads(thinning));
        int top = 1;
        for (Case each : charts.joined().cases()) {
            if (writeCase(table, each, thinning, top)) {
                top += CHART_ROWS + 1;
            }
        }
        table.finish();
    }

    private record Rows(Contender contender, int first, int last) {}

    private boolean writeCase(Table table, Case each, Thinning thinning, int top) {
        List<Rows> written = new ArrayList<>();
        for (Contender contender : each.contenders()) {
            RunResult typical = each.typical(contender);
            int first = table.rowNumber() + 1;
            thinning.of(typical.series()).forEach(second -> writeRow(table, typical, second));
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

    private void writeRow(Table table, RunResult result, Second second) {
        table.row()
                .text(result.suite())
                .text(result.workload().name())
                .text(charts.joined().label(Contender.of(result)))
                .number(result.round())
                .number(second.second())
                .number(second.published())
                .number(second.consumed())
                .number(second.backlog())
                .number(second.publishP50())
                .number(positive(second.publishP99()))
                .number(second.publishMax())
                .number(second.endToEndP99())
                .number(positive(second.serverCores()))
                .number(positive(second.serverResidentBytes()) / 1e6)
                .number(second.serverDiskWriteBytes() < 0 ? Double.NaN : second.serverDiskWriteBytes() / 1e6);
    }

    /** Unknown values are negative; and a logarithmic axis has no 0. */
    private static double positive(double value) {
        return value > 0 ? value : Double.NaN;
    }
}
