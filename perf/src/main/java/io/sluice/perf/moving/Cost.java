package io.sluice.perf.moving;

import java.util.Arrays;
import java.util.Locale;

/**
 * Result of one kind of change.
 *
 * @param name as printed
 * @param took milliseconds from the call to its answer, one for each
 * @param waits milliseconds, the longest wait of a writer around each
 * @param quietWaits likewise, of times as long in which nothing was done
 * @param cpuMillis of the server for each, above what it uses without
 */
record Cost(String name, double[] took, double[] waits, double[] quietWaits, double cpuMillis) {
    String line() {
        return String.format(
                Locale.ROOT,
                "  %-18s %4d done, each p50 %6.1f ms, p99 %6.1f ms; longest wait of a writer p50 %6.1f ms, p99 %6.1f ms,"
                        + " most %6.1f ms (without: p50 %.1f ms, p99 %.1f ms); %5.1f ms of CPU each",
                name,
                took.length,
                percentile(took, 50),
                percentile(took, 99),
                percentile(waits, 50),
                percentile(waits, 99),
                percentile(waits, 100),
                percentile(quietWaits, 50),
                percentile(quietWaits, 99),
                cpuMillis);
    }

    /** The smallest value that so many percent do not exceed; NaN of none. */
    static double percentile(double[] values, double percent) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int rank = (int) Math.ceil(sorted.length * percent / 100);
        return sorted.length == 0 ? Double.NaN : sorted[Math.clamp(rank - 1L, 0, sorted.length - 1)];
    }
}
