package io.sluice.perf.load;

import io.sluice.perf.result.RunResult.Latency;
import io.sluice.perf.result.RunResult.Percentile;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.HdrHistogram.Recorder;
import org.jspecify.annotations.Nullable;

/** Counts reported by clients under load; any thread, a few additions per record. */
final class Counts {
    private static final long MOST_NANOS = TimeUnit.MINUTES.toNanos(5);
    private static final int DIGITS = 3;
    private static final int STEPS_PER_HALVING = 5;

    private final Recorder publish = new Recorder(MOST_NANOS, DIGITS);
    private final Recorder endToEnd = new Recorder(MOST_NANOS, DIGITS);
    private final LongAdder acknowledged = new LongAdder();
    private final LongAdder consumed = new LongAdder();
    private final LongAdder late = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    void acknowledged(long due) {
        publish.recordValue(since(due));
        acknowledged.increment();
    }

    void consumed(long due) {
        endToEnd.recordValue(since(due));
        consumed.increment();
    }

    /** By a reader that found a backlog: how old a record was says when that reader came. */
    void consumedLate() {
        late.increment();
    }

    private static long since(long due) {
        return Math.clamp(System.nanoTime() - due, 0, MOST_NANOS);
    }

    void failed(Throwable why) {
        failed.increment();
        failure.compareAndSet(null, why);
    }

    long acknowledged() {
        return acknowledged.sum();
    }

    long consumed() {
        return consumed.sum() + late.sum();
    }

    /** Part of {@link #consumed} by readers that found a backlog. */
    long late() {
        return late.sum();
    }

    long failed() {
        return failed.sum();
    }

    /** The first, or null. */
    @Nullable
    Throwable failure() {
        return failure.get();
    }

    /** Latencies since the last call. */
    Interval interval() {
        return new Interval(publish.getIntervalHistogram(), endToEnd.getIntervalHistogram());
    }

    record Interval(Histogram publish, Histogram endToEnd) {}

    static Latency latency(Histogram histogram) {
        long count = histogram.getTotalCount();
        if (count == 0) {
            return new Latency(0, Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN, List.of());
        }
        List<Percentile> curve = new ArrayList<>();
        for (HistogramIterationValue step : histogram.percentiles(STEPS_PER_HALVING)) {
            curve.add(new Percentile(step.getPercentileLevelIteratedTo(), step.getValueIteratedTo() / 1e6));
        }
        return new Latency(
                count,
                millis(histogram, 50),
                millis(histogram, 95),
                millis(histogram, 99),
                millis(histogram, 99.9),
                histogram.getMaxValue() / 1e6,
                curve);
    }

    static double millis(Histogram histogram, double percentile) {
        return histogram.getTotalCount() == 0 ? Double.NaN : histogram.getValueAtPercentile(percentile) / 1e6;
    }
}
