package io.sluice.perf.report;

import io.sluice.perf.result.Evidence;
import io.sluice.perf.result.GeometricMean;
import io.sluice.perf.result.Measure;
import io.sluice.perf.result.Ratios;
import io.sluice.perf.result.Spread;
import io.sluice.perf.result.Verdict;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The answer: Sluice over each peer, per workload; sign and colour say who is ahead. */
final class RatioTable {
    private final Joined joined;
    private final List<Ratios> ratios;
    /** Measures with a figure; a column of dashes says nothing. */
    private final List<Measure> measures;

    RatioTable(Joined joined) {
        this.joined = joined;
        this.ratios = joined.ratios();
        this.measures = Arrays.stream(Measure.values())
                .filter(measure ->
                        ratios.stream().anyMatch(row -> row.of(measure).isPresent()))
                .toList();
    }

    boolean isEmpty() {
        return measures.isEmpty();
    }

    void write(Markup out) {
        if (isEmpty()) {
            return;
        }
        writeCount(out);
        out.open("div", "class", "wide").open("table", "class", "ratios");
        writeHead(out);
        writeOverall(out);
        writeWorkloads(out);
        out.close().close().line();
    }

    private void writeCount(Markup out) {
        Map<Verdict, Integer> counts = new EnumMap<>(Verdict.class);
        for (Ratios row : ratios) {
            measures.forEach(measure -> counts.merge(Verdict.of(measure, row), 1, Integer::sum));
        }
        out.open("p", "class", "verdict").text("Sluice is ");
        for (Verdict verdict : List.of(Verdict.BETTER, Verdict.EVEN, Verdict.WORSE)) {
            out.leaf(
                    "b",
                    verdict.sign() + " " + verdict.word() + " in " + counts.getOrDefault(verdict, 0),
                    "class",
                    cssClass(verdict));
            out.text(verdict == Verdict.WORSE ? "" : " ");
        }
        out.text(" of "
                + Arrays.stream(new Verdict[] {Verdict.BETTER, Verdict.EVEN, Verdict.WORSE})
                        .mapToInt(verdict -> counts.getOrDefault(verdict, 0))
                        .sum()
                + " figures.");
        out.leaf(
                "small",
                "Each is Sluice ÷ peer, over the peer's protocol: the median, then the lowest and the highest round. ≈ is within 5 %, or rounds that disagree."
                        + " Without three rounds of warm systems nobody is ahead.");
        out.close().line();
    }

    private void writeHead(Markup out) {
        out.open("thead").open("tr").leaf("th", "Workload", "scope", "col").leaf("th", "Sluice ÷", "scope", "col");
        for (Measure measure : measures) {
            out.open("th", "scope", "col", "class", "figure")
                    .text(measure.title())
                    .leaf("small", measure.unit())
                    .leaf("small", measure.higherIsBetter() ? "more is better" : "less is better")
                    .close();
        }
        out.close().close();
    }

    private record Rival(String label, List<Ratios> rows) {
        Evidence evidence() {
            return rows.stream().map(Ratios::evidence).reduce(Evidence::and).orElse(Evidence.NONE);
        }
    }

    /** The geometric mean of each peer's medians; said only where there is more than one workload. */
    private void writeOverall(Markup out) {
        Map<String, List<Ratios>> byRival = new LinkedHashMap<>();
        ratios.forEach(row -> byRival.computeIfAbsent(joined.rival(row), absent -> new ArrayList<>())
                .add(row));
        List<Rival> rivals = byRival.entrySet().stream()
                .map(entry -> new Rival(entry.getKey(), entry.getValue()))
                .toList();
        if (rivals.stream().noneMatch(rival -> rival.rows().size() > 1)) {
            return;
        }
        out.open("tbody", "class", "overall");
        for (Rival rival : rivals) {
            out.open("tr");
            if (rival.equals(rivals.getFirst())) {
                out.open("th", "scope", "rowgroup", "rowspan", String.valueOf(rivals.size()))
                        .text("All workloads")
                        .leaf(
                                "small",
                                "geometric mean, a failed load counts as ten times worse; lowest and highest. Throughput of loads that go flat out, latency of the others")
                        .close();
            }
            out.leaf("th", rival.label(), "scope", "row");
            measures.forEach(measure -> {
                Spread mean = mean(rival.rows(), measure);
                writeCell(out, mean, Verdict.of(measure, mean.median()).given(rival.evidence()));
            });
            out.close();
        }
        out.close().line();
    }

    private static Spread mean(List<Ratios> rows, Measure measure) {
        List<Ratios> telling = rows.stream()
                .filter(row -> Verdict.isDecidedBySystem(measure, row.base().workload()))
                .toList();
        return GeometricMean.of((telling.isEmpty() ? rows : telling)
                .stream().map(row -> row.of(measure)).toList());
    }

    private void writeWorkloads(Markup out) {
        Map<Case.Key, List<Ratios>> byCase = new LinkedHashMap<>();
        ratios.forEach(row -> byCase.computeIfAbsent(
                        new Case.Key(row.base().suite(), row.base().workload()), absent -> new ArrayList<>())
                .add(row));
        byCase.forEach((key, rows) -> {
            out.open("tbody");
            for (Ratios row : rows) {
                out.open("tr");
                if (row.equals(rows.getFirst())) {
                    out.open("th", "scope", "rowgroup", "rowspan", String.valueOf(rows.size()))
                            .text(key.workload().name())
                            .leaf("small", Described.briefly(key.workload()))
                            .close();
                }
                out.open("th", "scope", "row")
                        .text(joined.rival(row))
                        .leaf("small", row.failures().text())
                        .close();
                measures.forEach(measure -> writeCell(out, row.of(measure), Verdict.of(measure, row)));
                out.close();
            }
            out.close().line();
        });
    }

    static void writeCell(Markup out, Spread spread, Verdict verdict) {
        if (verdict == Verdict.UNKNOWN) {
            out.leaf("td", Numbers.MISSING, "class", "figure unknown", "title", verdict.word());
            return;
        }
        out.open("td", "class", "figure " + cssClass(verdict), "title", verdict.word())
                .leaf("b", verdict.sign() + " " + Numbers.times(spread.median()))
                .leaf("small", Numbers.range(spread, Numbers::ratio))
                .close();
    }

    private static String cssClass(Verdict verdict) {
        return verdict.name().toLowerCase(Locale.ROOT);
    }
}
