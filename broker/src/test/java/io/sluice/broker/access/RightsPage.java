package io.sluice.broker.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Tables in docs/security.md that are made from those of the code; run with {@code -Dsluice.docs.write=true} after changing one. */
public final class RightsPage {
    private static final Path PAGE = Path.of("..", "docs", "security.md");

    private RightsPage() {}

    /**
     * Compares the table in a section.
     *
     * @param column name of the second column
     * @param rights of each request, in order
     */
    public static void check(String section, String column, Map<String, ? extends Set<Right>> rights)
            throws IOException {
        List<String> page = Files.readAllLines(PAGE);
        int begin = page.indexOf("## " + section);
        assertThat(begin).as("section " + section).isNotNegative();
        while (!page.get(begin).startsWith("|")) {
            begin++;
        }
        int end = begin;
        while (page.get(end).startsWith("|")) {
            end++;
        }
        List<String> table = table(column, rights);
        if (Boolean.getBoolean("sluice.docs.write")) {
            List<String> written = new ArrayList<>(page.subList(0, begin));
            written.addAll(table);
            written.addAll(page.subList(end, page.size()));
            Files.write(PAGE, written);
        } else {
            assertThat(page.subList(begin, end)).as("section " + section).isEqualTo(table);
        }
    }

    private static List<String> table(String column, Map<String, ? extends Set<Right>> rights) {
        Map<String, List<String>> rows = new LinkedHashMap<>();
        rights.forEach((request, needed) -> {
            String all = new TreeSet<>(needed).stream().map(Right::toString).collect(Collectors.joining(", "));
            rows.computeIfAbsent(all.isEmpty() ? "none" : all, _ -> new ArrayList<>())
                    .add("`" + request + "`");
        });
        List<String> lines = new ArrayList<>(List.of("| rights | " + column + " |", "|---|---|"));
        rows.forEach((all, requests) -> lines.add("| " + all + " | " + String.join(", ", requests) + " |"));
        return lines;
    }
}
