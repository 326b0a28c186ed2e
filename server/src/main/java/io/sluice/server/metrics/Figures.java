package io.sluice.server.metrics;

import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * One figure of many things, set all at once. What was there before keeps its gauge: one that is taken out and put back while
 * a scrape runs is seen twice, and then the whole scrape fails.
 */
final class Figures {
    private final MultiGauge gauge;
    private volatile Map<Tags, Long> now = Map.of();

    Figures(MultiGauge gauge) {
        this.gauge = gauge;
    }

    /** By one thread. */
    void set(Map<Tags, Long> figures) {
        now = Map.copyOf(figures);
        List<Row<?>> rows = new ArrayList<>();
        now.keySet().forEach(tags -> rows.add(Row.of(tags, this, self -> self.at(tags))));
        gauge.register(rows);
    }

    private double at(Tags tags) {
        Long figure = now.get(tags);
        return figure == null ? Double.NaN : figure;
    }
}
