package io.sluice.perf.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.perf.result.RunResult;
import java.nio.file.Path;
import java.util.List;
import org.apache.poi.ss.usermodel.CellType;
import org.apache.poi.xssf.usermodel.XSSFSheet;
import org.apache.poi.xssf.usermodel.XSSFWorkbook;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class ReportWorkbookTest {
    private static final List<RunResult> RESULTS = SampleResults.all();
    private static XSSFWorkbook workbook = new XSSFWorkbook();

    @BeforeAll
    static void write() throws Exception {
        ReportFiles report = ReportFiles.write(RESULTS, Path.of("target", "sample-report"));
        workbook = new XSSFWorkbook(report.workbook().toFile());
    }

    @AfterAll
    static void close() throws Exception {
        workbook.close();
    }

    @Test
    void hasNativeCharts() {
        assertThat(charts("summary")).isEqualTo(6);
        assertThat(charts("systems")).isEqualTo(4);
        assertThat(charts("sweeps")).isEqualTo(2);
        assertThat(charts("percentiles"))
                .isEqualTo(2 * new JoinedResults(RESULTS).cases().size());
        assertThat(charts("series"))
                .isEqualTo(2 * new JoinedResults(RESULTS).cases().size());
    }

    @Test
    void hasARowPerResult() {
        assertThat(workbook.getSheet("results").getLastRowNum()).isEqualTo(RESULTS.size());
    }

    @Test
    void aFailedRunHasNoFiguresButAReason() {
        XSSFSheet sheet = workbook.getSheet("results");
        var last = sheet.getRow(sheet.getLastRowNum());
        assertThat(last.getCell(15).getCellType()).isEqualTo(CellType.BLANK);
        assertThat(last.getCell(last.getLastCellNum() - 1).getStringCellValue()).contains("no space");
    }

    private static int charts(String sheet) {
        return workbook.getSheet(sheet).createDrawingPatriarch().getCharts().size();
    }
}
