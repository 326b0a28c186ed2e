package io.sluice.perf.scaling;

import io.sluice.perf.report.ScalingPage.Course;
import io.sluice.perf.report.ScalingPage.Moment;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Whether a topic followed its load: it split, the load spread over containers, and it merged when the load was over. */
final class ScalingVerdict {
    /** Fraction of the load's time, at its beginning and at its end, over which medians are taken. */
    private static final double PART = 0.1;
    /** Bound on the busiest container's load at the end, as a fraction of that at the beginning. */
    private static final double SPREAD = 0.75;

    private ScalingVerdict() {}

    /**
     * Expected events that did not happen.
     *
     * @param loadSeconds after which the load ended
     */
    static List<String> missing(Course course, double loadSeconds) {
        List<Moment> loaded =
                course.moments().stream().filter(m -> m.second() < loadSeconds).toList();
        List<String> missing = new ArrayList<>();
        if (loaded.stream().noneMatch(m -> m.ranges() > 1)) {
            missing.add("it did not split");
        }
        double before = median(loaded, 0, loadSeconds * PART, Moment::busiestMB);
        double after = median(loaded, loadSeconds * (1 - PART), loadSeconds, Moment::busiestMB);
        if (!(after < before * SPREAD)) {
            missing.add(String.format(
                    Locale.ROOT,
                    "the load did not spread: the busiest container has %.1f MB/s, at first %.1f",
                    after,
                    before));
        }
        if (course.moments().isEmpty() || course.moments().getLast().ranges() > 1) {
            missing.add("it did not merge");
        }
        return missing;
    }

    /** Median over the moments with a load; NaN if there are none. */
    private static double median(List<Moment> moments, double from, double to, ToDoubleFunction<Moment> of) {
        double[] values = moments.stream()
                .filter(m -> m.second() >= from && m.second() < to)
                .mapToDouble(of)
                .filter(value -> value > 0)
                .sorted()
                .toArray();
        return values.length == 0 ? Double.NaN : values[values.length / 2];
    }
}
