package io.sluice.perf.report;

import io.sluice.perf.report.Chart.Axis;
import io.sluice.perf.report.Chart.Line;
import io.sluice.perf.report.Chart.Point;
import io.sluice.perf.report.Chart.Scale;
import io.sluice.perf.report.Palette.Ink;
import java.util.List;
import java.util.function.ToDoubleFunction;

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
        Page.writeHead(out, "Sluice: topics follow their load");
        out.open("body").open("header").leaf("h1", "Topics follow their load").leaf("p", title);
        for (Course course : courses) {
            out.open("p");
            Legend.writeSample(out, ink(course), false);
            out.text(course.protocol()).close();
        }
        lines.forEach(line -> out.leaf("p", line));
        out.close().open("div", "class", "plots");
        Page.write(out, chart(courses, "Ranges", "segments, or runs of partitions", Moment::ranges));
        Page.write(out, chart(courses, "Busiest container", "MB/s", Moment::busiestMB));
        Page.write(out, chart(courses, "Publish p99", "ms, per second", Moment::publishP99));
        out.close();
        Page.writeScripts(out);
        out.close().close();
        return out.toString();
    }

    private static Ink ink(Course course) {
        return Palette.ofSluice(course.protocol());
    }

    private static Chart chart(List<Course> courses, String title, String unit, ToDoubleFunction<Moment> figure) {
        List<Line> lines = courses.stream()
                .map(course -> Line.of(
                        course.protocol(),
                        ink(course),
                        false,
                        course.moments().stream()
                                .map(moment -> Point.of(moment.second(), figure.applyAsDouble(moment)))
                                .toList()))
                .toList();
        return new Chart(title, new Axis(Scale.LINEAR, "seconds"), new Axis(Scale.LINEAR, unit), lines);
    }
}
