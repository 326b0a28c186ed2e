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
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The answer: Sluice over each peer, per workload. */
final class RatioTable {
    private static final List<Verdict> JUDGED = List.of(Verdict.BETTER, Verdict.EVEN, Verdict.WORSE);

    private final JoinedResults joined;
    private final List<Ratios> ratios;
    /** Measures with a figure; a column of dashes says nothing. */
    private final List<Measure> measures;

    private final Map<Verdict, Integer> counts = new EnumMap<>(Verdict.class);

    RatioTable(JoinedResults joined) {
        this.joined = joined;
        this.ratios = joined.ratios();
        this.measures = Arrays.stream(Measure.values())
                .filter(measure ->
                        ratios.stream().anyMatch(row -> row.of(measure).isPresent()))
                .toList();
        for (Ratios row : ratios) {
            measures.forEach(measure -> counts.merge(row.verdict(measure), 1, Integer::sum));
        }
    }

    /** How many figures have a verdict. */
    record Count(String text, String cssClass) {}

    /**
     * Rows under one head.
     *
     * @param isOverall whether they are means over all workloads
     */
    record Group(String title, String note, boolean isOverall, List<Row> rows) {}

    record Row(String rival, String failures, List<RatioCell> cells) {}

    boolean isEmpty() {
        return measures.isEmpty();
    }

    List<Measure> measures() {
        return measures;
    }

    List<Count> counts() {
        return JUDGED.stream()
                .map(verdict -> new Count(
                        verdict.sign() + " " + verdict.word() + " in " + counts.getOrDefault(verdict, 0),
                        RatioCell.cssClass(verdict)))
                .toList();
    }

    int judged() {
        return JUDGED.stream()
                .mapToInt(verdict -> counts.getOrDefault(verdict, 0))
                .sum();
    }

    List<Group> groups() {
        return Stream.concat(overall().stream(), workloads().stream()).toList();
    }

    /** The geometric mean of each peer's medians; said only where there is more than one workload. */
    private List<Group> overall() {
        Map<String, List<Ratios>> byRival = by(joined::rival);
        if (byRival.values().stream().noneMatch(rows -> rows.size() > 1)) {
            return List.of();
        }
        List<Row> rows = new ArrayList<>();
        byRival.forEach((rival, ratios) -> {
            Evidence evidence =
                    ratios.stream().map(Ratios::evidence).reduce(Evidence::and).orElse(Evidence.NONE);
            rows.add(new Row(rival, "", cells(measure -> mean(ratios, measure, evidence))));
        });
        return List.of(new Group(
                "All workloads",
                "geometric mean, a failed load counts as ten times worse; lowest and highest."
                        + " Throughput of loads that go flat out, latency of the others",
                true,
                rows));
    }

    private static RatioCell mean(List<Ratios> rows, Measure measure, Evidence evidence) {
        List<Ratios> telling = rows.stream()
                .filter(row -> Verdict.isDecidedBySystem(measure, row.base().workload()))
                .toList();
        Spread mean = GeometricMean.of((telling.isEmpty() ? rows : telling)
                .stream().map(row -> row.of(measure)).toList());
        return new RatioCell(mean, Verdict.of(measure, mean.median()).given(evidence));
    }

    private List<Group> workloads() {
        List<Group> groups = new ArrayList<>();
        by(row -> new Case.Key(row.base().suite(), row.base().workload()))
                .forEach((key, ratios) -> groups.add(new Group(
                        key.workload().name(),
                        Descriptions.briefly(key.workload()),
                        false,
                        ratios.stream().map(this::row).toList())));
        return groups;
    }

    private Row row(Ratios row) {
        return new Row(
                joined.rival(row),
                row.failures().text(),
                cells(measure -> new RatioCell(row.of(measure), row.verdict(measure))));
    }

    private List<RatioCell> cells(Function<Measure, RatioCell> cell) {
        return measures.stream().map(cell).toList();
    }

    private <K> Map<K, List<Ratios>> by(Function<Ratios, K> key) {
        return ratios.stream().collect(Collectors.groupingBy(key, LinkedHashMap::new, Collectors.toList()));
    }
}
