package io.sluice.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class KnownFiguresTest {
    private final PrometheusMeterRegistry metrics = KnownFigures.registry();

    @Test
    void aGaugeIsLeftOutWhileItIsNotANumber() {
        var recovering = new AtomicReference<>(Double.NaN);
        Gauge.builder("log", () -> 5).tag("container", "0").register(metrics);
        Gauge.builder("log", recovering::get).tag("container", "1").register(metrics);
        Gauge.builder("other", () -> Double.NaN).register(metrics);
        assertThat(metrics.scrape())
                .contains("log{container=\"0\"} 5.0")
                .doesNotContain("NaN", "container=\"1\"", "other");
        recovering.set(Double.POSITIVE_INFINITY);
        assertThat(metrics.scrape()).contains("log{container=\"0\"} 5.0", "log{container=\"1\"} +Inf");
        metrics.counter("seen").increment();
        assertThat(metrics.scrape()).contains("seen_total 1.0");
    }
}
