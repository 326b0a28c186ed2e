package io.sluice.perf.report;

import io.sluice.perf.result.RunResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The two files a report consists of.
 *
 * @param page HTML, to read
 * @param workbook .xlsx, to go on calculating
 */
public record ReportFiles(Path page, Path workbook) {
    /**
     * Writes or replaces both.
     *
     * @param results of one or several runs, at least one
     * @param folder made if it does not exist
     */
    public static ReportFiles write(List<RunResult> results, Path folder) throws IOException {
        if (results.isEmpty()) {
            throw new IllegalArgumentException("nothing to report: no results");
        }
        var joined = new JoinedResults(results);
        Files.createDirectories(folder);
        var report = new ReportFiles(folder.resolve("report.html"), folder.resolve("report.xlsx"));
        Files.writeString(report.page(), Page.of(joined));
        try (var out = Files.newOutputStream(report.workbook())) {
            ReportWorkbook.write(joined, out);
        }
        return report;
    }
}
