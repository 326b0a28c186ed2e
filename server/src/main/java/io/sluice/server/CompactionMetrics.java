package io.sluice.server;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.sluice.broker.compaction.CompactTopics.Counters;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Figures over compaction, read when they are scraped; docs/metrics.md lists them. */
final class CompactionMetrics {
    private static final String PREFIX = "sluice.compaction.";

    private CompactionMetrics() {}

    static void bind(MeterRegistry metrics, Counters done) {
        counter(metrics, done, "partitions", null, "times that a partition was compacted", Counters::compactions);
        counter(metrics, done, "failures", null, "compactions given up, to be tried again", Counters::failures);
        counter(metrics, done, "read", BaseUnits.BYTES, "bytes that compactions read", Counters::readBytes);
        counter(metrics, done, "left", BaseUnits.BYTES, "bytes that were left of those", Counters::writtenBytes);
    }

    private static void counter(
            MeterRegistry metrics,
            Counters done,
            String name,
            @Nullable String unit,
            String description,
            ToDoubleFunction<Counters> figure) {
        FunctionCounter.builder(PREFIX + name, done, figure)
                .description(description)
                .baseUnit(unit)
                .register(metrics);
    }
}
