package io.sluice.perf.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.perf.report.DrawnCharts.Drawn;
import io.sluice.perf.result.RunResult;
import io.sluice.perf.result.RunResult.Subject;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChartsTest {
    /** Of the sweep of the samples. */
    private static final int RATES = 7;

    @Test
    void everySystemHasALineInEveryChart() throws Exception {
        List<Drawn> all = DrawnCharts.of(Page.of(new JoinedResults(SampleResults.all())));

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
        List<Drawn> all = DrawnCharts.of(Page.of(new JoinedResults(SampleResults.all())));

        assertThat(titled(all, "Publish p99 against throughput"))
                .singleElement()
                .satisfies(chart -> assertThat(chart.drawn()).allMatch(lines -> lines == 1 + RATES));
    }

    @Test
    void theNameOfASystemIsNoMarkup() throws Exception {
        List<RunResult> results =
                SampleResults.climb().stream().map(ChartsTest::namedAsMarkup).toList();

        assertThat(titled(DrawnCharts.of(Page.of(new JoinedResults(results))), "Publish p99 against throughput"))
                .singleElement()
                .satisfies(chart -> assertThat(chart.tip()).startsWith("&lt;b&gt;mine&lt;/b&gt; (kafka), offered 10"));
    }

    private static RunResult namedAsMarkup(RunResult result) {
        var subject = result.subject();
        return SampleResults.of(
                result, new Subject("<b>mine</b>", subject.protocol(), subject.version(), subject.settings()));
    }

    private static List<Drawn> titled(List<Drawn> all, String title) {
        assertThat(all).extracting(Drawn::title).contains(title);
        return all.stream().filter(chart -> chart.title().equals(title)).toList();
    }
}
