package io.sluice.perf.report;

import io.sluice.perf.result.Spread;
import io.sluice.perf.result.Verdict;
import java.util.List;
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

/** A sheet written row by row: one head, which stays in sight and filters, then text and numbers. */
final class Table {
    /** POI counts column widths in 256ths of a digit. */
    private static final int DIGIT = 256;
    /** Maximum length of a cell. */
    private static final int MAX_TEXT = SpreadsheetVersion.EXCEL2007.getMaxTextLength();

    private final XSSFSheet sheet;
    private final Styles styles;
    private XSSFRow row;
    private int columns;

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

    /** @param width of the column, in digits */
    record Head(String title, int width, boolean isNumber) {
        static Head text(String title) {
            return text(title, 22);
        }

        static Head text(String title, int width) {
            return new Head(title, width, false);
        }

        static Head number(String title) {
            return new Head(title, 14, true);
        }
    }

    Table(XSSFSheet sheet, Styles styles, List<Head> heads) {
        this.sheet = sheet;
        this.styles = styles;
        this.row = sheet.createRow(0);
        for (Head head : heads) {
            XSSFCell cell = row.createCell(columns);
            cell.setCellValue(head.title());
            cell.setCellStyle(head.isNumber() ? styles.numberHead : styles.head);
            sheet.setColumnWidth(columns++, head.width() * DIGIT);
        }
        row.setHeightInPoints(48);
        sheet.createFreezePane(0, 1);
        // on paper: as wide as a page, as long as it takes
        sheet.setFitToPage(true);
        sheet.getPrintSetup().setLandscape(true);
        sheet.getPrintSetup().setFitHeight((short) 0);
    }

    /** Begins a row. */
    Table row() {
        row = sheet.createRow(row.getRowNum() + 1);
        return this;
    }

    Table text(String text) {
        next().setCellValue(text.substring(0, Math.min(text.length(), MAX_TEXT)));
        return this;
    }

    /** Adds a number. One that is not finite leaves its cell empty: charts and sums pass over it. */
    Table number(double value) {
        return number(value, value == Math.rint(value) ? styles.whole : styles.number);
    }

    /** With every nine of it. */
    Table percentile(double value) {
        return number(value, styles.percentile);
    }

    /** Coloured by what it says. */
    Table ratio(double value, Verdict verdict) {
        if (Spread.isOfFailed(value)) {
            return text("failed");
        }
        return number(value, styles.of(verdict));
    }

    private Table number(double value, CellStyle style) {
        XSSFCell cell = next();
        if (Double.isFinite(value)) {
            cell.setCellValue(value);
            cell.setCellStyle(style);
        }
        return this;
    }

    /** The number of the row last begun, from 0; 0 is the head. */
    int rowNumber() {
        return row.getRowNum();
    }

    XSSFSheet sheet() {
        return sheet;
    }

    /** Lets the head filter what has been written. */
    void finish() {
        if (rowNumber() > 0) {
            sheet.setAutoFilter(new CellRangeAddress(0, rowNumber(), 0, columns - 1));
        }
    }

    private XSSFCell next() {
        return row.createCell(Math.max(0, row.getLastCellNum()));
    }
}
