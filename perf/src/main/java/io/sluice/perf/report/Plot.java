package io.sluice.perf.report;

import io.sluice.perf.report.Palette.Ink;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Lines over two axes, as SVG. The legend stands outside, once for all plots of a section, so that nothing can cover a line. */
final class Plot {
    private static final int WIDTH = 420;
    private static final int HEIGHT = 240;
    private static final int LEFT = 48;
    private static final int RIGHT = 24;
    private static final int TOP = 24;
    private static final int BOTTOM = 36;
    /** How wide a character of a label is, at most. */
    private static final double CHARACTER = 6.2;
    /** On a line whose points are too many to mark each. */
    private static final int SPARSE_MARKS = 5;

    private final String title;
    private final Axis x;
    private final Axis y;

    Plot(String title, Axis x, Axis y) {
        this.title = title;
        this.x = x;
        this.y = y;
    }

    /**
     * @param low and high are the ends of a vertical whisker; NaN for none
     * @param title shown under the pointer; empty for none
     */
    record Point(double x, double y, double low, double high, String title) {
        static Point of(double x, double y) {
            return new Point(x, y, Double.NaN, Double.NaN, "");
        }
    }

    /**
     * @param dashed for all origins but the first
     * @param title shown under the pointer
     * @param points a point that lies nowhere breaks the line
     * @param markAll every point is a measurement of its own
     */
    record Curve(Ink ink, boolean dashed, String title, List<Point> points, boolean markAll) {
        boolean isDrawable(Axis x, Axis y) {
            return points.stream().anyMatch(point -> !Double.isNaN(x.at(point.x()) + y.at(point.y())));
        }
    }

    /** Nothing where no curve has a point. */
    void write(Markup out, List<Curve> curves) {
        List<Curve> drawable =
                curves.stream().filter(curve -> curve.isDrawable(x, y)).toList();
        if (drawable.isEmpty()) {
            return;
        }
        out.open("figure").leaf("figcaption", title);
        out.open("svg", "viewBox", "0 0 " + WIDTH + " " + HEIGHT, "role", "img", "aria-label", title);
        writeAxes(out);
        drawable.forEach(curve -> write(out, curve));
        out.close().close().line();
    }

    private void writeAxes(Markup out) {
        out.open("g", "class", "grid");
        for (Axis.Tick tick : y.ticks()) {
            rule(out, LEFT, WIDTH - RIGHT, vertical(tick.at()), vertical(tick.at()));
        }
        for (Axis.Tick tick : x.ticks()) {
            rule(out, horizontal(tick.at()), horizontal(tick.at()), TOP, HEIGHT - BOTTOM);
        }
        out.close();
        for (Axis.Tick tick : y.ticks()) {
            label(out, LEFT - 6, vertical(tick.at()) + 4, "end", tick.label());
        }
        double free = 0;
        for (Axis.Tick tick : x.ticks()) {
            double half = tick.label().length() * CHARACTER / 2;
            if (horizontal(tick.at()) - half >= free) {
                label(out, horizontal(tick.at()), HEIGHT - BOTTOM + 15, "middle", tick.label());
                free = horizontal(tick.at()) + half + CHARACTER;
            }
        }
        label(out, 2, 12, "start", y.title());
        label(out, WIDTH - RIGHT, HEIGHT - 5, "end", x.title());
    }

    private void write(Markup out, Curve curve) {
        out.open("g", "class", curve.ink().cssClass() + (curve.dashed() ? " dashed" : ""));
        out.leaf("title", curve.title());
        for (List<Point> run : unbroken(curve.points())) {
            var path = new StringBuilder();
            run.forEach(point -> path.append(number(horizontal(x.at(point.x()))))
                    .append(',')
                    .append(number(vertical(y.at(point.y()))))
                    .append(' '));
            out.empty("polyline", "points", path.toString().strip());
        }
        marked(curve).forEach(point -> mark(out, curve.ink(), point));
        out.close();
    }

    private List<List<Point>> unbroken(List<Point> points) {
        List<List<Point>> runs = new ArrayList<>();
        List<Point> run = new ArrayList<>();
        for (Point point : points) {
            if (isDrawable(point)) {
                run.add(point);
            } else if (!run.isEmpty()) {
                runs.add(run);
                run = new ArrayList<>();
            }
        }
        if (!run.isEmpty()) {
            runs.add(run);
        }
        return runs;
    }

    private List<Point> marked(Curve curve) {
        List<Point> drawable = curve.points().stream().filter(this::isDrawable).toList();
        if (curve.markAll() || drawable.size() <= SPARSE_MARKS) {
            return drawable;
        }
        // each ink at other places, so that lines which coincide still show who is there
        double step = drawable.size() / (double) SPARSE_MARKS;
        double shift = step * (curve.ink().index() % 5 + 0.5) / 5;
        List<Point> marked = new ArrayList<>();
        for (int i = 0; i < SPARSE_MARKS; i++) {
            marked.add(drawable.get((int) (i * step + shift)));
        }
        return marked;
    }

    private boolean isDrawable(Point point) {
        return !Double.isNaN(x.at(point.x()) + y.at(point.y()));
    }

    private void mark(Markup out, Ink ink, Point point) {
        double centreX = horizontal(x.at(point.x()));
        double centreY = vertical(y.at(point.y()));
        if (point.low() < point.high()) {
            out.empty(
                    "path",
                    "class",
                    "whisker",
                    "d",
                    "M" + number(centreX) + "," + number(vertical(y.at(point.low()))) + "V"
                            + number(vertical(y.at(point.high()))));
        }
        out.open("path", "class", "mark", "d", "M" + number(centreX) + "," + number(centreY) + shape(ink.mark()));
        if (!point.title().isEmpty()) {
            out.leaf("title", point.title());
        }
        out.close();
    }

    /** Relative to its centre, about 8 wide. */
    static String shape(Palette.Mark mark) {
        return switch (mark) {
            case CIRCLE -> "m-4,0a4,4 0 1 0 8,0a4,4 0 1 0 -8,0z";
            case SQUARE -> "m-3.5,-3.5h7v7h-7z";
            case DIAMOND -> "m0,-5l5,5l-5,5l-5,-5z";
            case TRIANGLE -> "m0,-5l5,9h-10z";
            case TRIANGLE_DOWN -> "m0,5l5,-9h-10z";
            case CROSS -> "m-5,-2l3,-3l2,2l2,-2l3,3l-3,2l3,2l-3,3l-2,-2l-2,2l-3,-3l3,-2z";
        };
    }

    private static void rule(Markup out, double x1, double x2, double y1, double y2) {
        out.empty("path", "d", "M" + number(x1) + "," + number(y1) + "L" + number(x2) + "," + number(y2));
    }

    private static void label(Markup out, double x, double y, String anchor, String text) {
        out.leaf("text", text, "x", number(x), "y", number(y), "text-anchor", anchor);
    }

    private static double horizontal(double at) {
        return LEFT + at * (WIDTH - LEFT - RIGHT);
    }

    private static double vertical(double at) {
        return HEIGHT - BOTTOM - at * (HEIGHT - TOP - BOTTOM);
    }

    private static String number(double value) {
        String text = String.format(Locale.ROOT, "%.1f", value);
        return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
    }
}
