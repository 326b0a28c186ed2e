package io.sluice.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class FiguresTest {
    private final PrometheusMeterRegistry metrics = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final Figures lags =
            new Figures(MultiGauge.builder("lag").description("d").register(metrics));

    @Test
    void eachSettingReplacesTheOneBefore() {
        lags.set(Map.of(Tags.of("group", "a"), 1L, Tags.of("group", "b"), 2L));
        lags.set(Map.of(Tags.of("group", "b"), 3L, Tags.of("group", "c"), 4L));
        assertThat(metrics.scrape())
                .contains("lag{group=\"b\"} 3.0", "lag{group=\"c\"} 4.0")
                .doesNotContain("group=\"a\"");
    }

    /** The only gauge of a name, which went with its name when it was replaced. */
    @Test
    void aScrapeMeanwhileSeesEachOnce() throws Exception {
        var done = new AtomicBoolean();
        var setting = CompletableFuture.runAsync(() -> {
            for (long n = 0; n < 20_000; n++) {
                lags.set(Map.of(Tags.of("group", "a"), n));
            }
            done.set(true);
        });
        while (!done.get() && !setting.isDone()) {
            assertThat(metrics.scrape().split("lag\\{group=\"a\"}", -1).length).isLessThanOrEqualTo(2);
        }
        setting.get();
    }
}
