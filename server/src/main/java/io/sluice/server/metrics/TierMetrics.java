package io.sluice.server.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.sluice.tiering.objectstore.StoreTraffic;
import io.sluice.tiering.objectstore.StoreTraffic.Call;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Figures over the object store, read when they are scraped; docs/operations.md says what they mean. */
public final class TierMetrics {
    private static final String PREFIX = "sluice.tier.";

    private TierMetrics() {}

    public static void bind(MeterRegistry metrics, StoreTraffic traffic) {
        for (Call call : Call.values()) {
            counter(metrics, traffic, call, "calls", "calls to the object store", seen -> seen.calls(call));
            counter(metrics, traffic, call, "failures", "calls that failed", seen -> seen.failures(call));
            counter(metrics, traffic, call, "requests", "requests over the network", seen -> seen.requests(call));
        }
        bytes(metrics, traffic, "written", "bytes of objects stored", StoreTraffic::bytesPut);
        bytes(metrics, traffic, "read", "bytes of objects read", StoreTraffic::bytesRead);
    }

    private static void counter(
            MeterRegistry metrics,
            StoreTraffic traffic,
            Call call,
            String name,
            String description,
            ToDoubleFunction<StoreTraffic> figure) {
        FunctionCounter.builder(PREFIX + name, traffic, figure)
                .description(description)
                .tag("call", call.name().toLowerCase(Locale.ROOT))
                .register(metrics);
    }

    private static void bytes(
            MeterRegistry metrics,
            StoreTraffic traffic,
            String name,
            String description,
            ToDoubleFunction<StoreTraffic> figure) {
        FunctionCounter.builder(PREFIX + name, traffic, figure)
                .description(description)
                .baseUnit(BaseUnits.BYTES)
                .register(metrics);
    }
}
