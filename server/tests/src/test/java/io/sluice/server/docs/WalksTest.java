package io.sluice.server.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Walks of ARCHITECTURE.md: ten lines each, each with a class to open next; every class that the document names is there. */
class WalksTest {
    private static final int STEPS = 10;
    private static final int LONGEST_LINE = 150;
    private static final Pattern STEP = Pattern.compile("(\\d+)\\. .*");
    private static final Pattern CLASS = Pattern.compile("`([A-Z][a-z][A-Za-z0-9]*)(?:[.(][^`]*)?`");

    @ParameterizedTest
    @ValueSource(
            strings = {"a Kafka produce", "a Pulsar send", "a catch-up read", "a commit", "a scalable topic splits"})
    void aWalkHasTenLinesWithAClassEach(String name) throws IOException {
        List<String> lines = Repository.lines("ARCHITECTURE.md");
        int heading = lines.indexOf("## Walk: " + name);
        assertThat(heading).as("a walk of %s", name).isNotNegative();
        for (int step = 1; step <= STEPS; step++) {
            String line = lines.get(heading + step);
            Matcher numbered = STEP.matcher(line);
            assertThat(numbered.matches()).as(line).isTrue();
            assertThat(numbered.group(1)).as(line).isEqualTo(Integer.toString(step));
            assertThat(CLASS.matcher(line).find()).as("a class in: %s", line).isTrue();
            assertThat(line.length()).as(line).isLessThanOrEqualTo(LONGEST_LINE);
        }
        assertThat(lines.get(heading + STEPS + 1)).as("behind the walk").isEmpty();
    }

    @Test
    void everyClassThatTheDocumentNamesIsThere() throws IOException {
        Set<String> classes = Repository.files(".java").stream()
                .map(Path::getFileName)
                .map(file -> file.toString().replace(".java", ""))
                .collect(Collectors.toCollection(TreeSet::new));
        List<String> missing = new ArrayList<>();
        Matcher named = CLASS.matcher(Repository.read("ARCHITECTURE.md"));
        while (named.find()) {
            if (!classes.contains(named.group(1))) {
                missing.add(named.group(1));
            }
        }
        assertThat(missing).isEmpty();
    }
}
