package io.sluice.perf.report;

import io.sluice.perf.result.RunResult.Subject;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Settings of each system: a row per setting, a column per contender. */
final class SettingsTable {
    private final Joined joined;

    SettingsTable(Joined joined) {
        this.joined = joined;
    }

    void write(Markup out) {
        SortedSet<String> keys = joined.results().stream()
                .flatMap(result -> result.subject().settings().keySet().stream())
                .collect(Collectors.toCollection(TreeSet::new));
        out.open("div", "class", "wide").open("table", "class", "settings");
        out.open("thead").open("tr").leaf("th", "Setting", "scope", "col");
        joined.contenders().forEach(contender -> out.leaf("th", joined.label(contender), "scope", "col"));
        out.close().close().open("tbody");
        writeRow(out, "version", Subject::version);
        writeRow(out, "client protocol", Subject::protocol);
        keys.forEach(key -> writeRow(out, key, subject -> subject.settings().getOrDefault(key, "")));
        out.close().close().close().line();
    }

    /** Where results of one contender differ, all of its values. */
    private void writeRow(Markup out, String title, Function<Subject, String> property) {
        out.open("tr").leaf("th", title, "scope", "row");
        for (Contender contender : joined.contenders()) {
            String text = joined.results().stream()
                    .filter(result -> Contender.of(result).equals(contender))
                    .map(result -> property.apply(result.subject()))
                    .filter(value -> !value.isBlank())
                    .distinct()
                    .collect(Collectors.joining(" / "));
            out.leaf("td", text.isEmpty() ? Numbers.MISSING : text);
        }
        out.close();
    }
}
