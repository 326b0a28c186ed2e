package io.sluice.perf.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.perf.report.ScalingPage.Course;
import io.sluice.perf.report.ScalingPage.Moment;
import java.io.StringReader;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.xml.sax.InputSource;

class ScalingPageTest {
    @Test
    void hasThreePlotsWithALineForEachClient() throws Exception {
        List<Moment> moments = List.of(
                new Moment(0, 1, 1, 50, 6, 5_000, 10, 40),
                new Moment(1, 2, 2, 25, 6, 5_000, 5, 20),
                new Moment(2, 1, 1, 0, 0, Double.NaN, Double.NaN, Double.NaN));
        String page = ScalingPage.of(
                "a <b> c", List.of("kafka & co"), List.of(new Course("kafka", moments), new Course("pulsar", moments)));
        var document = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(page)));
        assertThat(document.getElementsByTagName("figure").getLength()).isEqualTo(3);
        assertThat(document.getElementsByTagName("polyline").getLength()).isEqualTo(6);
        assertThat(page).doesNotContain("NaN", "http:", "<script");
    }
}
