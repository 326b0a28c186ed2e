package io.sluice.tiering.merge;

import java.util.concurrent.TimeUnit;

/**
 * How fast merges go: at least at a small rate, and so fast that what waits to be merged takes a given time. A burst is thus
 * merged after it, while a load that lasts is merged as fast as it comes. Pure.
 *
 * <pre>
 *   what waits in small ranges: debt ──► merges: debt / debtMillis, or the least rate
 * </pre>
 */
final class MergePace {
    private static final double MILLIS = TimeUnit.SECONDS.toMillis(1);

    private final double leastBytesPerMilli;
    private final long debtMillis;
    private double nextAt = Double.NEGATIVE_INFINITY;

    /**
     * @param leastBytesPerSecond also while little waits
     * @param debtMillis in which what waits is merged
     */
    MergePace(long leastBytesPerSecond, long debtMillis) {
        this.leastBytesPerMilli = leastBytesPerSecond / MILLIS;
        this.debtMillis = debtMillis;
    }

    /** @param now milliseconds since the epoch */
    boolean mayBegin(long now) {
        return now >= nextAt;
    }

    /** A merge of so many bytes begins, which has its time from now on, while {@code debt} bytes wait. */
    void begun(long now, long bytes, long debt) {
        double bytesPerMilli = Math.max(leastBytesPerMilli, (double) debt / debtMillis);
        nextAt = Math.max(now, nextAt) + bytes / bytesPerMilli;
    }
}
