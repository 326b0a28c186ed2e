package io.sluice.server.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.sluice.broker.compaction.CompactionCounters;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Figures over compaction, read when they are scraped; docs/metrics.md lists them. */
public final class CompactionMetrics {
    private static final String PREFIX = "sluice.compaction.";

    private CompactionMetrics() {}

    public static void bind(MeterRegistry metrics, CompactionCounters done) {
        counter(
                metrics,
                done,
                "partitions",
                null,
                "times that a partition was compacted",
                CompactionCounters::compactions);
        counter(
                metrics,
                done,
                "failures",
                null,
                "compactions given up, to be tried again",
                CompactionCounters::failures);
        counter(metrics, done, "read", BaseUnits.BYTES, "bytes that compactions read", CompactionCounters::readBytes);
        counter(
                metrics,
                done,
                "left",
                BaseUnits.BYTES,
                "bytes that were left of those",
                CompactionCounters::writtenBytes);
    }

    private static void counter(
            MeterRegistry metrics,
            CompactionCounters done,
            String name,
            @Nullable String unit,
            String description,
            ToDoubleFunction<CompactionCounters> figure) {
        FunctionCounter.builder(PREFIX + name, done, figure)
                .description(description)
                .baseUnit(unit)
                .register(metrics);
    }
}
