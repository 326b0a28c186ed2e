package io.sluice.perf.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.perf.result.RunResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;

class PageTest {
    private static String page = "";
    /** Without scripts. */
    private static String markup = "";

    private static Document document;

    @BeforeAll
    static void write() throws Exception {
        page = Page.of(new JoinedResults(SampleResults.all()));
        Files.writeString(Path.of("target", "sample-report.html"), page);
        markup = PageMarkup.withoutScripts(page);
        document = PageMarkup.parse(page);
    }

    @Test
    void needsNothingFromElsewhere() {
        assertThat(markup).doesNotContain("http:", "https:", "src=", "@import", "url(");
        assertThat(page).contains("Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'");
    }

    @Test
    void showsADashForWhatIsMissing() {
        assertThat(elements("td"))
                .noneMatch(text -> text.matches(".*(NaN|Infinity|null).*"))
                .contains(Numbers.MISSING);
    }

    @Test
    void escapesWhatServersSay() {
        assertThat(elements("td"))
                .anyMatch(text -> text.equals("the server answered \"no space\" <0 bytes> & stopped"));
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

        String both = Page.of(new JoinedResults(joined));
        Files.writeString(Path.of("target", "sample-commits.html"), both);

        assertThat(both).contains("kafka #1", "kafka #2", "0123456789ab<", "5cd206732b00<");
    }

    @Test
    void stepsOfAClimbAreToldByTheirSweepOnly() throws Exception {
        String page = Page.of(new JoinedResults(SampleResults.climb()));
        Files.writeString(Path.of("target", "sample-climb.html"), page);
        page = PageMarkup.withoutScripts(page);

        assertThat(page)
                .contains("Sluice beside its peers", "Rising rates", "random keys", "Most acknowledged", "<figure")
                .doesNotContain("step-", "NaN", "No ratios");
    }

    @Test
    void aClimbWithoutPeersComparesNothing() {
        List<RunResult> alone = SampleResults.climb().stream()
                .filter(result -> result.subject().name().equals("sluice"))
                .toList();

        assertThat(PageMarkup.withoutScripts(Page.of(new JoinedResults(alone))))
                .contains("Performance report", "No ratios", "<figure")
                .doesNotContain("Rising rates", "NaN");
    }

    @Test
    void withoutPeersStillShowsWhatThereIs() throws Exception {
        List<RunResult> alone = SampleResults.all().stream()
                .filter(result -> result.subject().name().equals("sluice") && result.round() == 1)
                .toList();

        String page = Page.of(new JoinedResults(alone));
        Files.writeString(Path.of("target", "sample-alone.html"), page);

        assertThat(PageMarkup.withoutScripts(page))
                .contains("No ratios", "<figure")
                .doesNotContain("NaN");
    }

    private static List<String> elements(String name) {
        var nodes = document.getElementsByTagName(name);
        return IntStream.range(0, nodes.getLength())
                .mapToObj(index -> nodes.item(index).getTextContent())
                .toList();
    }
}
