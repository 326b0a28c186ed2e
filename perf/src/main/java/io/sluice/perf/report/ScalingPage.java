package io.sluice.perf.report;

import io.sluice.perf.report.Palette.Ink;
import io.sluice.perf.report.Plot.Curve;
import io.sluice.perf.report.Plot.Point;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;

/** How topics followed their load: ranges, load of containers and latency over time, one line for each client. */
public final class ScalingPage {
    private ScalingPage() {}

    /**
     * @param second since the load began
     * @param ranges segments, or runs of partitions
     * @param containers that are written to
     * @param busiestMB 10^6 bytes per second into the busiest container
     * @param meanMB the same, over all containers of the server
     * @param published events per second; NaN after the load
     * @param publishP50 milliseconds; NaN after the load
     * @param publishP99 milliseconds; NaN after the load
     */
    public record Moment(
            double second,
            int ranges,
            int containers,
            double busiestMB,
            double meanMB,
            double published,
            double publishP50,
            double publishP99) {}

    /** @param protocol of the client: kafka or pulsar */
    public record Course(String protocol, List<Moment> moments) {}

    /** @param lines what is to be read off, one for each course */
    public static String of(String title, List<String> lines, List<Course> courses) {
        Markup out = new Markup("<!DOCTYPE html>\n");
        out.open("html", "lang", "en");
        out.open("head").empty("meta", "charset", "utf-8");
        out.empty("meta", "name", "viewport", "content", "width=device-width, initial-scale=1");
        out.empty("meta", "name", "color-scheme", "content", "light dark");
        out.leaf("title", "Sluice: topics follow their load");
        out.open("style")
                .verbatim(Palette.css() + Page.styleSheet())
                .close()
                .close()
                .line();
        out.open("body").open("header").leaf("h1", "Topics follow their load").leaf("p", title);
        for (Course course : courses) {
            out.open("p").open("span", "class", ink(course).cssClass()).open("svg", "width", "12", "height", "12");
            out.empty(
                    "path",
                    "class",
                    "mark",
                    "d",
                    "M6,6" + Plot.shape(ink(course).mark()));
            out.close().close().text(" " + course.protocol()).close();
        }
        lines.forEach(line -> out.leaf("p", line));
        out.close().open("div", "class", "plots");
        plot(out, courses, "Ranges", "segments, or runs of partitions", Moment::ranges);
        plot(out, courses, "Busiest container", "MB/s", Moment::busiestMB);
        plot(out, courses, "Publish p99", "ms, per second", Moment::publishP99);
        out.close().close().close();
        return out.toString();
    }

    private static Ink ink(Course course) {
        return Palette.ofSluice(course.protocol());
    }

    private static void plot(
            Markup out, List<Course> courses, String title, String unit, ToDoubleFunction<Moment> figure) {
        List<Curve> curves = new ArrayList<>();
        for (Course course : courses) {
            curves.add(new Curve(
                    ink(course),
                    false,
                    course.protocol(),
                    course.moments().stream()
                            .map(moment -> Point.of(moment.second(), figure.applyAsDouble(moment)))
                            .toList(),
                    false));
        }
        double last = courses.stream()
                .flatMap(course -> course.moments().stream())
                .mapToDouble(Moment::second)
                .max()
                .orElse(0);
        DoubleStream values =
                curves.stream().flatMap(curve -> curve.points().stream()).mapToDouble(Point::y);
        new Plot(title, Axis.time("seconds", last), Axis.linear(unit, values)).write(out, curves);
    }
}
