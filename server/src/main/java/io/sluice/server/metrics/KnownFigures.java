package io.sluice.server.metrics;

import io.micrometer.core.instrument.Clock;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.List;

/**
 * Leaves gauges out of a scrape while they are not a number, because there is nothing to measure: a sum over all containers would be none
 * either while one recovers. Meters are not taken out of the registry for it: one that comes back during a scrape is seen twice.
 */
public final class KnownFigures extends PrometheusRegistry {
    private KnownFigures() {}

    /** Meters of a server. */
    public static PrometheusMeterRegistry registry() {
        return new PrometheusMeterRegistry(PrometheusConfig.DEFAULT, new KnownFigures(), Clock.SYSTEM);
    }

    @Override
    public MetricSnapshots scrape() {
        return new MetricSnapshots(super.scrape().stream()
                .map(KnownFigures::known)
                .filter(metric -> !metric.getDataPoints().isEmpty())
                .toList());
    }

    private static MetricSnapshot known(MetricSnapshot metric) {
        if (!(metric instanceof GaugeSnapshot gauge)) {
            return metric;
        }
        List<GaugeDataPointSnapshot> points = gauge.getDataPoints().stream()
                .filter(point -> !Double.isNaN(point.getValue()))
                .toList();
        return new GaugeSnapshot(gauge.getMetadata(), points);
    }
}
