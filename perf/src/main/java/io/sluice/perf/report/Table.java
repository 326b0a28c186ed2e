package io.sluice.perf.report;

import io.sluice.perf.result.Spread;
import io.sluice.perf.result.Verdict;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.apache.poi.ss.SpreadsheetVersion;
import org.apache.poi.ss.usermodel.BorderStyle;
import org.apache.poi.ss.usermodel.CellStyle;
import org.apache.poi.ss.usermodel.FillPatternType;
import org.apache.poi.ss.usermodel.HorizontalAlignment;
import org.apache.poi.ss.usermodel.VerticalAlignment;
import org.apache.poi.ss.util.CellRangeAddress;
import org.apache.poi.xssf.usermodel.XSSFCell;
import org.apache.poi.xssf.usermodel.XSSFColor;
import org.apache.poi.xssf.usermodel.XSSFRow;
import org.apache.poi.xssf.usermodel.XSSFSheet;
import org.apache.poi.xssf.usermodel.XSSFWorkbook;

/**
 * A sheet written row by row: one head, which stays in sight and filters, then text and numbers.
 *
 * @param <R> what a row shows
 */
final class Table<R> {
    /** POI counts column widths in 256ths of a digit. */
    private static final int DIGIT = 256;
    /** Maximum length of a cell. */
    private static final int MAX_TEXT = SpreadsheetVersion.EXCEL2007.getMaxTextLength();

    private final XSSFSheet sheet;
    private final Styles styles;
    private final List<Column<R>> columns;
    private XSSFRow row;

    /** The cell styles of one workbook, made once: a workbook holds a limited number of them. */
    static final class Styles {
        private static final String ABOUT_THREE_DIGITS = "[>=100]#,##0;[>=1]0.00;0.0000";

        private final CellStyle head;
        private final CellStyle numberHead;
        private final CellStyle number;
        private final CellStyle whole;
        private final CellStyle percentile;
        private final CellStyle better;
        private final CellStyle worse;

        Styles(XSSFWorkbook workbook) {
            head = head(workbook);
            numberHead = head(workbook);
            numberHead.setAlignment(HorizontalAlignment.RIGHT);
            number = number(workbook, ABOUT_THREE_DIGITS);
            whole = number(workbook, "#,##0");
            percentile = number(workbook, "0.0#####");
            better = filled(workbook, 0xD3, 0xE6, 0xF8);
            worse = filled(workbook, 0xFB, 0xDC, 0xC6);
        }

        private static CellStyle head(XSSFWorkbook workbook) {
            CellStyle style = workbook.createCellStyle();
            var bold = workbook.createFont();
            bold.setBold(true);
            style.setFont(bold);
            style.setWrapText(true);
            style.setVerticalAlignment(VerticalAlignment.BOTTOM);
            style.setBorderBottom(BorderStyle.THIN);
            return style;
        }

        private static CellStyle number(XSSFWorkbook workbook, String format) {
            CellStyle style = workbook.createCellStyle();
            style.setDataFormat(workbook.createDataFormat().getFormat(format));
            return style;
        }

        private static CellStyle filled(XSSFWorkbook workbook, int red, int green, int blue) {
            CellStyle style = number(workbook, ABOUT_THREE_DIGITS);
            style.setFillForegroundColor(new XSSFColor(new byte[] {(byte) red, (byte) green, (byte) blue}));
            style.setFillPattern(FillPatternType.SOLID_FOREGROUND);
            return style;
        }

        private CellStyle of(Verdict verdict) {
            return switch (verdict) {
                case BETTER -> better;
                case WORSE -> worse;
                case EVEN, UNJUDGED, UNPROVEN, UNKNOWN -> number;
            };
        }
    }

    /**
     * A head and what rows have below it.
     *
     * @param width in digits
     * @param content writes the cell of a row
     */
    record Column<R>(String title, int width, boolean isNumber, BiConsumer<Table<R>, R> content) {
        static <R> Column<R> text(String title, Function<R, String> text) {
            return text(title, 22, text);
        }

        static <R> Column<R> text(String title, int width, Function<R, String> text) {
            return new Column<>(title, width, false, (table, row) -> table.text(text.apply(row)));
        }

        /** A number that is not finite leaves its cell empty: charts and sums pass over it. */
        static <R> Column<R> number(String title, ToDoubleFunction<R> number) {
            return number(title, (table, row) -> {
                double value = number.applyAsDouble(row);
                table.number(value, value == Math.rint(value) ? table.styles.whole : table.styles.number);
            });
        }

        /** With every nine of it. */
        static <R> Column<R> percentile(String title, ToDoubleFunction<R> percentile) {
            return number(title, (table, row) -> table.number(percentile.applyAsDouble(row), table.styles.percentile));
        }

        /** Coloured by its verdict. */
        static <R> Column<R> ratio(String title, ToDoubleFunction<R> ratio, Function<R, Verdict> verdict) {
            return number(title, (table, row) -> table.ratio(ratio.applyAsDouble(row), verdict.apply(row)));
        }

        private static <R> Column<R> number(String title, BiConsumer<Table<R>, R> content) {
            return new Column<>(title, 14, true, content);
        }
    }

    Table(XSSFSheet sheet, Styles styles, List<Column<R>> columns) {
        this.sheet = sheet;
        this.styles = styles;
        this.columns = columns;
        this.row = sheet.createRow(0);
        for (int i = 0; i < columns.size(); i++) {
            XSSFCell cell = row.createCell(i);
            cell.setCellValue(columns.get(i).title());
            cell.setCellStyle(columns.get(i).isNumber() ? styles.numberHead : styles.head);
            sheet.setColumnWidth(i, columns.get(i).width() * DIGIT);
        }
        row.setHeightInPoints(48);
        sheet.createFreezePane(0, 1);
        // on paper: as wide as a page, as long as it takes
        sheet.setFitToPage(true);
        sheet.getPrintSetup().setLandscape(true);
        sheet.getPrintSetup().setFitHeight((short) 0);
    }

    void add(R shown) {
        row = sheet.createRow(row.getRowNum() + 1);
        columns.forEach(column -> column.content().accept(this, shown));
    }

    private void text(String text) {
        next().setCellValue(text.substring(0, Math.min(text.length(), MAX_TEXT)));
    }

    private void ratio(double value, Verdict verdict) {
        if (Spread.isOfFailed(value)) {
            text("failed");
        } else {
            number(value, styles.of(verdict));
        }
    }

    private void number(double value, CellStyle style) {
        XSSFCell cell = next();
        if (Double.isFinite(value)) {
            cell.setCellValue(value);
            cell.setCellStyle(style);
        }
    }

    /** Number of the last row, from 0; 0 is the head. */
    int rowNumber() {
        return row.getRowNum();
    }

    XSSFSheet sheet() {
        return sheet;
    }

    /** Lets the head filter what has been written. */
    void finish() {
        if (rowNumber() > 0) {
            sheet.setAutoFilter(new CellRangeAddress(0, rowNumber(), 0, columns.size() - 1));
        }
    }

    private XSSFCell next() {
        return row.createCell(Math.max(0, row.getLastCellNum()));
    }
}
