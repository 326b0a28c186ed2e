package io.sluice.perf.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.perf.report.DrawnCharts.Drawn;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChartsTest {
    /** Of the sweep of the samples. */
    private static final int RATES = 7;

    @Test
    void everySystemHasALineInEveryChart() throws Exception {
        List<Drawn> all = DrawnCharts.of(Page.of(new Joined(SampleResults.all())));

        assertThat(all).hasSizeGreaterThan(10).allSatisfy(chart -> {
            assertThat(chart.drawn()).hasSizeBetween(SampleResults.SYSTEMS.size() - 1, SampleResults.SYSTEMS.size());
            assertThat(chart.drawn()).allMatch(lines -> lines > 0);
            assertThat(chart.broken()).isFalse();
        });
        assertThat(titled(all, "Publish latency"))
                .allSatisfy(chart ->
                        assertThat(chart.texts()).contains("0", "90", "99", "99.9", "99.99", "percentile", "ms (log)"));
        assertThat(titled(all, "Throughput"))
                .anySatisfy(chart ->
                        assertThat(chart.texts()).contains("0", "100 k", "200 k", "seconds", "records/s acknowledged"));
    }

    @Test
    void aSweepHasAWhiskerAtEveryStep() throws Exception {
        List<Drawn> all = DrawnCharts.of(Page.of(new Joined(SampleResults.all())));

        assertThat(titled(all, "Publish p99 against throughput"))
                .singleElement()
                .satisfies(chart -> assertThat(chart.drawn()).allMatch(lines -> lines == 1 + RATES));
    }

    private static List<Drawn> titled(List<Drawn> all, String title) {
        assertThat(all).extracting(Drawn::title).contains(title);
        return all.stream().filter(chart -> chart.title().equals(title)).toList();
    }
}
