package io.sluice.perf.report;

import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Lines over two axes, as {@code charts.js} gives them to Apache ECharts. The legend stands outside, once for all charts of a section. */
record Chart(String title, Axis x, Axis y, List<Line> lines) {
    private static final JsonMapper JSON = new JsonMapper();
    /** More than a screen can show. */
    private static final MathContext DIGITS = new MathContext(6);

    enum Scale {
        LINEAR,
        LOG,
        /** Percentiles below 100, each further nine as wide as the one before: the shape of tails shows. */
        PERCENTILE
    }

    record Axis(Scale scale, String title) {}

    /**
     * @param color of the style sheet
     * @param symbol SVG path of its mark
     * @param dashed for all origins but the newest
     * @param marked whether every point is a measurement of its own
     * @param points one without {@code y} breaks the line
     */
    record Line(String name, String color, String symbol, boolean dashed, boolean marked, List<Point> points) {
        static Line of(Key key, String name, List<Point> points) {
            return new Line(name, key.ink().variable(), key.ink().mark().path(), key.dashed(), false, points);
        }

        static Line ofMeasurements(Key key, List<Point> points) {
            return new Line(key.label(), key.ink().variable(), key.ink().mark().path(), key.dashed(), true, points);
        }
    }

    /**
     * @param y null where nothing was measured
     * @param low and high are the ends of a whisker; null for none
     * @param text shown under the pointer instead of {@code y}
     */
    record Point(
            double x,
            @Nullable Double y,
            @Nullable Double low,
            @Nullable Double high,
            @Nullable String text) {
        static Point of(double x, double y) {
            return new Point(x, rounded(y), null, null, null);
        }

        static Point of(double x, double y, double low, double high, String text) {
            return new Point(x, rounded(y), rounded(low), rounded(high), text);
        }

        /** Most points are x and y alone. */
        @JsonValue
        List<@Nullable Object> values() {
            return low == null ? Arrays.asList(x, y) : Arrays.asList(x, y, low, high, text);
        }

        private static @Nullable Double rounded(double value) {
            return Double.isFinite(value) ? new BigDecimal(value).round(DIGITS).doubleValue() : null;
        }
    }

    /** Whether any line has a point. */
    boolean isDrawable() {
        return lines.stream().flatMap(line -> line.points().stream()).anyMatch(this::isDrawable);
    }

    private boolean isDrawable(Point point) {
        Double value = point.y();
        return value != null && (y.scale() != Scale.LOG || value > 0);
    }

    /** JSON that may stand within an element of a page. */
    String json() {
        try {
            return JSON.writeValueAsString(this).replace("<", "\\u003c").replace("&", "\\u0026");
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }
}
