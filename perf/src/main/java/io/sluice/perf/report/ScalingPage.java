package io.sluice.perf.report;

import io.sluice.perf.report.Chart.Axis;
import io.sluice.perf.report.Chart.Line;
import io.sluice.perf.report.Chart.Point;
import io.sluice.perf.report.Chart.Scale;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** How topics followed their load: ranges, load of containers and latency over time, one line for each client. */
public final class ScalingPage {
    private final String title;
    private final List<String> lines;
    private final List<Course> courses;

    private ScalingPage(String title, List<String> lines, List<Course> courses) {
        this.title = title;
        this.lines = lines;
        this.courses = courses;
    }

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
        return Templates.render("scaling.jte", new ScalingPage(title, lines, courses));
    }

    String title() {
        return title;
    }

    List<String> lines() {
        return lines;
    }

    List<Key> keys() {
        return courses.stream().map(ScalingPage::key).toList();
    }

    List<Chart> charts() {
        return List.of(
                chart("Ranges", "segments, or runs of partitions", Moment::ranges),
                chart("Busiest container", "MB/s", Moment::busiestMB),
                chart("Publish p99", "ms, per second", Moment::publishP99));
    }

    private static Key key(Course course) {
        return new Key(course.protocol(), Palette.ofSluice(course.protocol()), false);
    }

    private Chart chart(String title, String unit, ToDoubleFunction<Moment> figure) {
        List<Line> drawn = courses.stream()
                .map(course -> Line.of(
                        key(course),
                        course.protocol(),
                        course.moments().stream()
                                .map(moment -> Point.of(moment.second(), figure.applyAsDouble(moment)))
                                .toList()))
                .toList();
        return new Chart(title, new Axis(Scale.LINEAR, "seconds"), new Axis(Scale.LINEAR, unit), drawn);
    }
}
