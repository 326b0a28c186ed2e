package io.sluice.perf.result;

import java.util.Collection;
import java.util.stream.DoubleStream;

/**
 * Several workloads in one ratio. A workload that one side failed counts as ten times worse for it: left out, a system would gain by
 * failing where it is slow; as infinity, it would hide all others. (Comparisons of solvers count time-outs likewise, as "PAR10".)
 */
public final class GeometricMean {
    static final double FAILED_FACTOR = 10;

    private GeometricMean() {}

    /**
     * The mean of the medians, and the lowest and highest of them.
     *
     * @param ratios 0 or infinite where a side failed; those that are not present take no part
     */
    public static Spread of(Collection<Spread> ratios) {
        double[] medians = ratios.stream()
                .filter(Spread::isPresent)
                .mapToDouble(Spread::median)
                .toArray();
        if (medians.length == 0) {
            return Spread.NONE;
        }
        Spread spread = Spread.of(DoubleStream.of(medians));
        double logs = DoubleStream.of(medians)
                .map(GeometricMean::bounded)
                .map(Math::log)
                .sum();
        return new Spread(Math.exp(logs / medians.length), spread.low(), spread.high(), medians.length);
    }

    private static double bounded(double ratio) {
        if (ratio == 0) {
            return 1 / FAILED_FACTOR;
        }
        return Double.isInfinite(ratio) ? FAILED_FACTOR : ratio;
    }
}
