package io.sluice.server.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The index of decisions has each one, with its title and its status; no decision has more than 500 words. */
class DecisionsTest {
    private static final Pattern ROW = Pattern.compile("\\| \\[(\\d{4})]\\(([^)]+)\\) \\| (.+) \\| (.+) \\|");
    private static final Pattern TITLE = Pattern.compile("# (\\d{4}):? (.+)");
    private static final Pattern STATUS = Pattern.compile("(?m)^\\*\\*Status\\.\\*\\* (In part replaced|Replaced)\\b");
    private static final int MOST_WORDS = 500;

    @Test
    void everyDecisionIsInTheIndexWithItsTitle() throws IOException {
        Map<String, String> titles = new TreeMap<>();
        for (Path file : decisions()) {
            var title = TITLE.matcher(Files.readAllLines(file).getFirst());
            assertThat(title.matches()).as("title of %s", file).isTrue();
            titles.put(file.getFileName().toString(), title.group(1) + ' ' + plain(title.group(2)));
        }
        Map<String, String> index = new TreeMap<>();
        for (String line : Repository.lines("docs/adr/README.md")) {
            var row = ROW.matcher(line);
            if (row.matches()) {
                assertThat(index.put(row.group(2), row.group(1) + ' ' + plain(row.group(3))))
                        .as("%s a second time", row.group(2))
                        .isNull();
            }
        }
        assertThat(index).isEqualTo(titles);
    }

    @Test
    void theIndexHasTheStatusThatADecisionHasAtItsTop() throws IOException {
        for (String line : Repository.lines("docs/adr/README.md")) {
            var row = ROW.matcher(line);
            if (row.matches()) {
                var status = STATUS.matcher(top(Repository.read("docs/adr/" + row.group(2))));
                String expected = !status.find()
                        ? "in force"
                        : status.group(1).equals("Replaced") ? "replaced by " : "in part replaced by ";
                assertThat(row.group(4)).as(row.group(2)).startsWith(expected);
            }
        }
    }

    @Test
    void noDecisionIsLongerThanAPage() throws IOException {
        for (Path file : decisions()) {
            assertThat(Files.readString(file).split("\\s+").length)
                    .as("words of %s", file.getFileName())
                    .isLessThanOrEqualTo(MOST_WORDS);
        }
    }

    private static String top(String text) {
        return text.lines().limit(5).reduce("", (all, line) -> all + line + '\n');
    }

    private static String plain(String title) {
        return title.replace("`", "");
    }

    private static Iterable<Path> decisions() throws IOException {
        try (Stream<Path> files = Files.list(Repository.path("docs/adr"))) {
            return files.filter(file -> !file.endsWith("README.md")).sorted().toList();
        }
    }
}
