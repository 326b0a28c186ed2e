package io.sluice.perf.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.perf.result.RunResult;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;

class PageTest {
    private static String page = "";
    private static Document document;

    @BeforeAll
    static void write() throws Exception {
        page = Page.of(new Joined(SampleResults.all()));
        Files.writeString(Path.of("target", "sample-report.html"), page);
        document = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(page)));
    }

    @Test
    void needsNothingFromElsewhere() {
        assertThat(page).doesNotContain("http:", "https:", "<script", "@import", "url(");
    }

    @Test
    void showsADashForWhatIsMissing() {
        assertThat(page).doesNotContain("NaN", "Infinity", "null").contains(Numbers.MISSING);
    }

    @Test
    void escapesWhatServersSay() {
        assertThat(elements("td"))
                .anyMatch(text -> text.equals("the server answered \"no space\" <0 bytes> & stopped"));
    }

    @Test
    void drawsOneLinePerSystemInEveryPlot() {
        var figures = document.getElementsByTagName("figure");
        assertThat(figures.getLength()).isGreaterThan(10);
        IntStream.range(0, figures.getLength())
                .mapToObj(index -> (Element) figures.item(index))
                .forEach(figure -> assertThat(
                                figure.getElementsByTagName("polyline").getLength())
                        .as(figure.getElementsByTagName("figcaption").item(0).getTextContent())
                        .isBetween(SampleResults.SYSTEMS.size() - 1, SampleResults.SYSTEMS.size()));
    }

    @Test
    void answersBeforeTheFirstChart() {
        assertThat(page.indexOf("class=\"verdict\"")).isPositive().isLessThan(page.indexOf("<figure"));
        assertThat(page.indexOf("class=\"ratios\"")).isPositive().isLessThan(page.indexOf("<figure"));
    }

    @Test
    void tellsCommitsApart() throws Exception {
        List<RunResult> before = SampleResults.all();
        List<RunResult> joined = new ArrayList<>(before);
        before.forEach(
                result -> joined.add(SampleResults.atCommit(result, "0123456789abcdef0123456789abcdef01234567")));

        String both = Page.of(new Joined(joined));
        Files.writeString(Path.of("target", "sample-commits.html"), both);

        assertThat(both).contains("kafka #1", "kafka #2", "0123456789ab<", "5cd206732b00<");
    }

    @Test
    void stepsOfAClimbAreToldByTheirSweepOnly() throws Exception {
        String page = Page.of(new Joined(SampleResults.climb()));
        Files.writeString(Path.of("target", "sample-climb.html"), page);

        assertThat(page)
                .contains("Sluice beside its peers", "Rising rates", "random keys", "Most acknowledged", "<polyline")
                .doesNotContain("step-", "NaN", "No ratios");
    }

    @Test
    void aClimbWithoutPeersComparesNothing() {
        List<RunResult> alone = SampleResults.climb().stream()
                .filter(result -> result.subject().name().equals("sluice"))
                .toList();

        assertThat(Page.of(new Joined(alone)))
                .contains("Performance report", "No ratios", "<polyline")
                .doesNotContain("Rising rates", "NaN");
    }

    @Test
    void withoutPeersStillShowsWhatThereIs() throws Exception {
        List<RunResult> alone = SampleResults.all().stream()
                .filter(result -> result.subject().name().equals("sluice") && result.round() == 1)
                .toList();

        String page = Page.of(new Joined(alone));
        Files.writeString(Path.of("target", "sample-alone.html"), page);

        assertThat(page).contains("No ratios", "<polyline").doesNotContain("NaN");
    }

    private static List<String> elements(String name) {
        var nodes = document.getElementsByTagName(name);
        return IntStream.range(0, nodes.getLength())
                .mapToObj(index -> nodes.item(index).getTextContent())
                .toList();
    }
}
