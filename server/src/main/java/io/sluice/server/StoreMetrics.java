package io.sluice.server;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.sluice.server.containers.ServedContainers;

/** Gauges over the store, read when they are scraped. */
final class StoreMetrics {
    private StoreMetrics() {}

    static void bind(MeterRegistry metrics, ServedContainers containers) {
        Gauge.builder(
                        "sluice.containers.serving",
                        containers,
                        all -> all.served().size())
                .description("containers served by this process")
                .register(metrics);
    }
}
