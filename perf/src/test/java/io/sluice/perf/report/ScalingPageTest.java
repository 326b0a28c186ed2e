package io.sluice.perf.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.perf.report.ScalingPage.Course;
import io.sluice.perf.report.ScalingPage.Moment;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScalingPageTest {
    private static String page(Moment... moments) {
        List<Moment> all = List.of(moments);
        return ScalingPage.of(
                "a <b> c", List.of("kafka & co"), List.of(new Course("kafka", all), new Course("pulsar", all)));
    }

    private static Moment moment(double second, double publishP99) {
        return new Moment(second, 2, 2, 25, 6, 5_000, 5, publishP99);
    }

    @Test
    void hasThreePlotsWithALineForEachClient() throws Exception {
        String page = page(moment(0, 40), moment(1, 20), moment(2, Double.NaN));

        assertThat(PageMarkup.parse(page).getElementsByTagName("figure").getLength())
                .isEqualTo(3);
        assertThat(DrawnCharts.of(page))
                .hasSize(3)
                .allSatisfy(chart -> assertThat(chart.drawn()).containsExactly(1, 1));
        assertThat(PageMarkup.withoutScripts(page)).doesNotContain("NaN", "http:", "src=");
    }

    @Test
    void aMomentWithoutAFigureBreaksItsLine() throws Exception {
        String page = page(moment(0, 40), moment(1, 20), moment(2, Double.NaN), moment(3, 20), moment(4, 30));

        assertThat(DrawnCharts.of(page).getLast().drawn()).containsExactly(2, 2);
    }
}
