package io.sluice.perf.cache;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Scores as a table for a terminal and as comma-separated values; Sluice's beside, and divided by, each other's. */
final class CacheTable {
    private static final String CSV_HEAD =
            "test,entry_bytes,operations,cache,median_ms,lowest_ms,highest_ms,ns_per_operation,sluice_over_it";

    private final Map<Discipline, List<Score>> rows = new LinkedHashMap<>();

    CacheTable(List<Score> scores) {
        for (Score score : scores) {
            rows.computeIfAbsent(score.discipline(), unused -> new ArrayList<>())
                    .add(score);
        }
    }

    /** Columns: milliseconds of a shot and nanoseconds of an operation of each cache, then the ratios. */
    List<String> lines() {
        List<List<String>> table = new ArrayList<>();
        List<String> head = new ArrayList<>(List.of("test"));
        List<Score> first = rows.values().iterator().next();
        for (Score score : first) {
            head.add(score.contestant().title() + " ms");
            head.add("ns/op");
        }
        ratios(first).keySet().forEach(other -> head.add("sluice / " + other.title()));
        table.add(head);
        rows.forEach((discipline, scores) -> {
            List<String> row = new ArrayList<>(List.of(discipline.title()));
            for (Score score : scores) {
                row.add(number("%,.1f", score.millis().median()));
                row.add(number("%,.0f", score.nanosPerOperation()));
            }
            ratios(scores).values().forEach(ratio -> row.add(number(ratio < 0.1 ? "%.3f" : "%.2f", ratio)));
            table.add(row);
        });
        return aligned(table);
    }

    List<String> csv() {
        List<String> lines = new ArrayList<>(List.of(CSV_HEAD));
        rows.forEach((discipline, scores) -> {
            Map<Contestant, Double> ratios = ratios(scores);
            for (Score score : scores) {
                Double ratio = ratios.get(score.contestant());
                lines.add(String.join(
                        ",",
                        discipline.title(),
                        Integer.toString(discipline.entryBytes()),
                        Integer.toString(discipline.operations()),
                        score.contestant().title(),
                        number("%.3f", score.millis().median()),
                        number("%.3f", score.millis().low()),
                        number("%.3f", score.millis().high()),
                        number("%.1f", score.nanosPerOperation()),
                        ratio == null ? "" : number("%.4f", ratio)));
            }
        });
        return lines;
    }

    /** Ratios of Sluice's median to that of each other; empty without Sluice. */
    private static Map<Contestant, Double> ratios(List<Score> scores) {
        Map<Contestant, Double> ratios = new LinkedHashMap<>();
        scores.stream()
                .filter(score -> score.contestant() == Contestant.SLUICE)
                .findFirst()
                .ifPresent(sluice -> scores.stream()
                        .filter(score -> score != sluice)
                        .forEach(other -> ratios.put(other.contestant(), sluice.over(other))));
        return ratios;
    }

    private static String number(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }

    /** The first column to the left, figures to the right. */
    private static List<String> aligned(List<List<String>> table) {
        int[] widths = new int[table.getFirst().size()];
        for (List<String> row : table) {
            for (int column = 0; column < widths.length; column++) {
                widths[column] = Math.max(widths[column], row.get(column).length());
            }
        }
        List<String> lines = new ArrayList<>();
        for (List<String> row : table) {
            var line = new StringBuilder(row.getFirst());
            line.repeat(" ", widths[0] - row.getFirst().length());
            for (int column = 1; column < widths.length; column++) {
                String cell = row.get(column);
                line.repeat(" ", widths[column] - cell.length() + 2).append(cell);
            }
            lines.add(line.toString());
        }
        return lines;
    }
}
