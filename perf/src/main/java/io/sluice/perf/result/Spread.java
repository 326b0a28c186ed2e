package io.sluice.perf.result;

import java.util.stream.DoubleStream;

/**
 * One figure over several rounds.
 *
 * @param median of two middle values their mean; NaN when no round has the figure
 * @param low of all rounds, NaN likewise
 * @param high of all rounds, NaN likewise
 * @param rounds that have the figure
 */
public record Spread(double median, double low, double high, int rounds) {
    public static final Spread NONE = new Spread(Double.NaN, Double.NaN, Double.NaN, 0);

    /** NaN elements are rounds without the figure. */
    public static Spread of(DoubleStream values) {
        double[] sorted = values.filter(value -> !Double.isNaN(value)).sorted().toArray();
        int count = sorted.length;
        if (count == 0) {
            return NONE;
        }
        double median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
        return new Spread(median, sorted[0], sorted[count - 1], count);
    }

    /** Whether a ratio is that of a system to one that failed, or the other way round. */
    public static boolean isOfFailed(double ratio) {
        return ratio == 0 || Double.isInfinite(ratio);
    }

    public boolean isPresent() {
        return rounds > 0;
    }
}
