package io.sluice.perf.report;

import io.sluice.perf.report.Palette.Ink;
import org.apache.poi.ss.util.CellRangeAddress;
import org.apache.poi.ss.util.CellReference;
import org.apache.poi.xddf.usermodel.PresetColor;
import org.apache.poi.xddf.usermodel.PresetLineDash;
import org.apache.poi.xddf.usermodel.XDDFColor;
import org.apache.poi.xddf.usermodel.XDDFLineProperties;
import org.apache.poi.xddf.usermodel.XDDFPresetLineDash;
import org.apache.poi.xddf.usermodel.XDDFShapeProperties;
import org.apache.poi.xddf.usermodel.XDDFSolidFillProperties;
import org.apache.poi.xddf.usermodel.chart.AxisCrosses;
import org.apache.poi.xddf.usermodel.chart.AxisOrientation;
import org.apache.poi.xddf.usermodel.chart.AxisPosition;
import org.apache.poi.xddf.usermodel.chart.BarDirection;
import org.apache.poi.xddf.usermodel.chart.ChartTypes;
import org.apache.poi.xddf.usermodel.chart.DisplayBlanks;
import org.apache.poi.xddf.usermodel.chart.LegendPosition;
import org.apache.poi.xddf.usermodel.chart.MarkerStyle;
import org.apache.poi.xddf.usermodel.chart.XDDFBarChartData;
import org.apache.poi.xddf.usermodel.chart.XDDFCategoryAxis;
import org.apache.poi.xddf.usermodel.chart.XDDFChartAxis;
import org.apache.poi.xddf.usermodel.chart.XDDFChartData;
import org.apache.poi.xddf.usermodel.chart.XDDFDataSourcesFactory;
import org.apache.poi.xddf.usermodel.chart.XDDFScatterChartData;
import org.apache.poi.xddf.usermodel.chart.XDDFValueAxis;
import org.apache.poi.xssf.usermodel.XSSFChart;
import org.apache.poi.xssf.usermodel.XSSFSheet;

/** A chart of the spreadsheet's own over cells of its sheet, so that it follows them when they are changed. */
final class NativeChart {
    private final XSSFSheet sheet;
    private final XSSFChart chart;
    private final XDDFChartData data;

    /** In cells: the upper left corner, and how far it reaches. */
    record Place(int column, int row, int columns, int rows) {}

    /**
     * @param log to the base of 10; values must be above 0
     */
    record Scale(String title, boolean log) {}

    private NativeChart(XSSFSheet sheet, XSSFChart chart, XDDFChartData data) {
        this.sheet = sheet;
        this.chart = chart;
        this.data = data;
    }

    /** Lines through points. */
    static NativeChart lines(XSSFSheet sheet, Place place, String title, Scale x, Scale y) {
        XSSFChart chart = at(sheet, place, title);
        XDDFValueAxis bottom = chart.createValueAxis(AxisPosition.BOTTOM);
        XDDFValueAxis left = chart.createValueAxis(AxisPosition.LEFT);
        scale(bottom, x);
        scale(left, y);
        return new NativeChart(sheet, chart, chart.createData(ChartTypes.SCATTER, bottom, left));
    }

    /** Bars that lie down, so that the names beside them can be read. */
    static NativeChart bars(XSSFSheet sheet, Place place, String title, Scale values) {
        XSSFChart chart = at(sheet, place, title);
        XDDFCategoryAxis names = chart.createCategoryAxis(AxisPosition.LEFT);
        names.setVisible(true);
        // the first row on top, as in the sheet
        names.setOrientation(AxisOrientation.MAX_MIN);
        XDDFValueAxis bottom = chart.createValueAxis(AxisPosition.BOTTOM);
        scale(bottom, values);
        bottom.setCrosses(AxisCrosses.MAX);
        var data = (XDDFBarChartData) chart.createData(ChartTypes.BAR, names, bottom);
        data.setBarDirection(BarDirection.BAR);
        data.setGapWidth(60);
        data.setVaryColors(false);
        return new NativeChart(sheet, chart, data);
    }

    private static XSSFChart at(XSSFSheet sheet, Place place, String title) {
        var drawing = sheet.createDrawingPatriarch();
        XSSFChart chart = drawing.createChart(drawing.createAnchor(
                0, 0, 0, 0, place.column(), place.row(), place.column() + place.columns(), place.row() + place.rows()));
        chart.setTitleText(title);
        chart.setTitleOverlay(false);
        chart.displayBlanksAs(DisplayBlanks.GAP);
        return chart;
    }

    private static void scale(XDDFValueAxis axis, Scale scale) {
        axis.setTitle(scale.title());
        axis.setVisible(true);
        axis.setCrosses(AxisCrosses.MIN);
        axis.setNumberFormat("General");
        if (scale.log()) {
            axis.setLogBase(10);
        } else {
            axis.setMinimum(0);
        }
        grid(axis);
    }

    private static void grid(XDDFChartAxis axis) {
        XDDFShapeProperties grid = axis.getOrAddMajorGridProperties();
        grid.setLineProperties(line(new XDDFSolidFillProperties(XDDFColor.from(PresetColor.LIGHT_GRAY)), 0.5));
    }

    /** Both from the first to the last row, inclusive. */
    void addLine(Key key, int xColumn, int yColumn, int firstRow, int lastRow) {
        var series = (XDDFScatterChartData.Series) data.addSeries(
                XDDFDataSourcesFactory.fromNumericCellRange(sheet, column(xColumn, firstRow, lastRow)),
                XDDFDataSourcesFactory.fromNumericCellRange(sheet, column(yColumn, firstRow, lastRow)));
        series.setTitle(key.label(), null);
        series.setSmooth(false);
        boolean few = lastRow - firstRow < 12;
        series.setMarkerStyle(few ? marker(key.ink()) : MarkerStyle.NONE);
        XDDFLineProperties line = line(fill(key.ink()), 1.75);
        if (key.dashed()) {
            line.setPresetDash(new XDDFPresetLineDash(PresetLineDash.DASH));
        }
        series.setLineProperties(line);
    }

    /** The head of its column is the name. */
    void addBars(Ink ink, int nameColumn, int valueColumn, int headRow, int firstRow, int lastRow) {
        var series = data.addSeries(
                XDDFDataSourcesFactory.fromStringCellRange(sheet, column(nameColumn, firstRow, lastRow)),
                XDDFDataSourcesFactory.fromNumericCellRange(sheet, column(valueColumn, firstRow, lastRow)));
        String name = sheet.getRow(headRow).getCell(valueColumn).getStringCellValue();
        series.setTitle(name, new CellReference(sheet.getSheetName(), headRow, valueColumn, true, true));
        series.setFillProperties(fill(ink));
    }

    /** Once all series are in. */
    void plot() {
        if (data.getSeriesCount() > 1) {
            chart.getOrAddLegend().setPosition(LegendPosition.BOTTOM);
        }
        chart.plot(data);
    }

    private static CellRangeAddress column(int column, int firstRow, int lastRow) {
        return new CellRangeAddress(firstRow, lastRow, column, column);
    }

    private static XDDFSolidFillProperties fill(Ink ink) {
        int rgb = Integer.parseInt(ink.light(), 16);
        return new XDDFSolidFillProperties(
                XDDFColor.from(new byte[] {(byte) (rgb >> 16), (byte) (rgb >> 8), (byte) rgb}));
    }

    private static XDDFLineProperties line(XDDFSolidFillProperties fill, double points) {
        var line = new XDDFLineProperties(fill);
        line.setWidth(points);
        return line;
    }

    private static MarkerStyle marker(Ink ink) {
        return switch (ink.mark()) {
            case CIRCLE -> MarkerStyle.CIRCLE;
            case SQUARE -> MarkerStyle.SQUARE;
            case DIAMOND -> MarkerStyle.DIAMOND;
            case TRIANGLE, TRIANGLE_DOWN -> MarkerStyle.TRIANGLE;
            case CROSS -> MarkerStyle.X;
        };
    }
}
