package io.sluice.perf.compare;

import io.sluice.perf.result.Measure;
import io.sluice.perf.result.Ratios;
import io.sluice.perf.result.RunResult;
import io.sluice.perf.result.SelfRatios;
import io.sluice.perf.result.Spread;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

/** Sluice over each peer as a table for a terminal: median, and the lowest and highest round where there are several. */
final class RatioLines {
    private static final List<Measure> COLUMNS = List.of(
            Measure.THROUGHPUT, Measure.PUBLISH_P99, Measure.END_TO_END_P99, Measure.CPU_PER_GB, Measure.BACKLOG_DRAIN);
    private static final String MISSING = "-";

    private RatioLines() {}

    /** @param over the system that is divided by the others */
    static List<String> of(Collection<RunResult> results, String over) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(head("workload", over + " over", "beside"));
        for (Ratios ratios : Ratios.of(results, over)) {
            List<String> row = new ArrayList<>(List.of(
                    ratios.base().workload().name(),
                    ratios.protocol(),
                    ratios.peer().name()));
            COLUMNS.forEach(measure -> row.add(text(ratios.of(measure))));
            rows.add(row);
        }
        return aligned(rows);
    }

    /** Each system over itself; none where no two loads differ in one thing only. */
    static List<String> selves(Collection<RunResult> results) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(head("system", "what", "from, to", "load"));
        for (SelfRatios ratios : SelfRatios.of(results)) {
            List<String> row = new ArrayList<>(List.of(
                    ratios.system() + " over " + ratios.protocol(),
                    ratios.dimension().title(),
                    ratios.from() + ", " + ratios.to(),
                    ratios.load().name()));
            COLUMNS.forEach(measure -> row.add(text(ratios.of(measure))));
            rows.add(row);
        }
        return rows.size() == 1 ? List.of() : aligned(rows);
    }

    private static List<String> head(String... first) {
        List<String> head = new ArrayList<>(List.of(first));
        COLUMNS.forEach(measure -> head.add(measure.title() + (measure.higherIsBetter() ? " (more)" : " (less)")));
        return head;
    }

    /** {@code 1.23 (1.10..1.31)}. */
    static String text(Spread spread) {
        if (!spread.isPresent()) {
            return MISSING;
        }
        String median = number(spread.median());
        return spread.rounds() == 1
                ? median
                : median + " (" + number(spread.low()) + ".." + number(spread.high()) + ")";
    }

    private static String number(double ratio) {
        if (Spread.isOfFailed(ratio)) {
            return "failed";
        }
        return String.format(Locale.ROOT, ratio < 0.1 ? "%.3f" : "%.2f", ratio);
    }

    private static List<String> aligned(List<List<String>> rows) {
        int[] widths = new int[rows.getFirst().size()];
        for (List<String> row : rows) {
            for (int column = 0; column < widths.length; column++) {
                widths[column] = Math.max(widths[column], row.get(column).length());
            }
        }
        List<String> lines = new ArrayList<>();
        for (List<String> row : rows) {
            var line = new StringBuilder();
            for (int column = 0; column < widths.length; column++) {
                String cell = row.get(column);
                line.append(cell).repeat(" ", widths[column] - cell.length() + 2);
            }
            lines.add(line.toString().stripTrailing());
        }
        return lines;
    }
}
