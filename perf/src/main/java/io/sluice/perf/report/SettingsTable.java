package io.sluice.perf.report;

import io.sluice.perf.result.RunResult.Subject;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Settings of each system: a row per setting, a column per contender. */
record SettingsTable(JoinedResults joined) {
    record Row(String setting, List<String> values) {}

    List<String> systems() {
        return joined.contenders().stream().map(joined::label).toList();
    }

    List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        rows.add(row("version", Subject::version));
        rows.add(row("client protocol", Subject::protocol));
        joined.results().stream()
                .flatMap(result -> result.subject().settings().keySet().stream())
                .collect(Collectors.toCollection(TreeSet::new))
                .forEach(key -> rows.add(row(key, subject -> subject.settings().getOrDefault(key, ""))));
        return rows;
    }

    private Row row(String setting, Function<Subject, String> property) {
        return new Row(
                setting,
                joined.contenders().stream()
                        .map(contender -> value(contender, property))
                        .toList());
    }

    /** Where results of one contender differ, all of its values. */
    private String value(MeasuredSystem contender, Function<Subject, String> property) {
        String text = joined.results().stream()
                .filter(result -> MeasuredSystem.of(result).equals(contender))
                .map(result -> property.apply(result.subject()))
                .filter(value -> !value.isBlank())
                .distinct()
                .collect(Collectors.joining(" / "));
        return text.isEmpty() ? Numbers.MISSING : text;
    }
}
