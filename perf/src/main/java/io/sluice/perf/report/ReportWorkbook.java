package io.sluice.perf.report;

import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import org.apache.poi.xssf.usermodel.XSSFWorkbook;

/** The joined results as a spreadsheet with charts of its own, for further questions. Most important sheet first. */
final class ReportWorkbook {
    private ReportWorkbook() {}

    static void write(JoinedResults joined, OutputStream out) throws IOException {
        try (var workbook = new XSSFWorkbook()) {
            var styles = new Table.Styles(workbook);
            var charts = Charts.of(joined);
            new SummarySheet(joined).write(workbook.createSheet("summary"), styles);
            new SystemsSheet(joined, charts.palette()).write(workbook.createSheet("systems"), styles);
            List<Sweep> sweeps = Sweep.of(joined.cases());
            if (!sweeps.isEmpty()) {
                new SweepsSheet(charts).write(workbook.createSheet("sweeps"), styles, sweeps);
            }
            new ResultsSheet(joined).write(workbook.createSheet("results"), styles);
            new PercentilesSheet(charts).write(workbook.createSheet("percentiles"), styles);
            new SeriesSheet(charts).write(workbook.createSheet("series"), styles);
            workbook.write(out);
        }
    }
}
