package io.sluice.perf.report;

import io.sluice.perf.result.Measure;
import io.sluice.perf.result.RunResult;
import io.sluice.perf.result.Settling;
import io.sluice.perf.result.Spread;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Figures of each contender for one workload: medians over its rounds, with the spread where it matters most. */
final class FiguresTable {
    /**
     * @param group the head over neighbours of the same group; empty for none
     * @param spread whether lowest and highest round are shown
     */
    private record Column(String group, String title, boolean spread, ToDoubleFunction<RunResult> figure) {}

    private static final List<Column> COLUMNS = List.of(
            new Column("Carried", "records/s", true, RunResult::sustainedPerSecond),
            new Column(
                    "Carried",
                    "MB/s",
                    false,
                    result -> result.sustainedPerSecond() * result.workload().messageSize() / 1e6),
            new Column(
                    "Records/s", "published", false, result -> result.figures().publishedPerSecond()),
            new Column("Records/s", "read", false, result -> result.figures().consumedPerSecond()),
            new Column(
                    "Publish, ms",
                    "p50",
                    false,
                    result -> result.figures().publish().p50()),
            new Column(
                    "Publish, ms",
                    "p99",
                    true,
                    result -> result.figures().publish().p99()),
            new Column(
                    "Publish, ms",
                    "p99.9",
                    false,
                    result -> result.figures().publish().p999()),
            new Column(
                    "Publish, ms",
                    "max",
                    false,
                    result -> result.figures().publish().max()),
            new Column(
                    "End-to-end, ms",
                    "p50",
                    false,
                    result -> result.figures().endToEnd().p50()),
            new Column(
                    "End-to-end, ms",
                    "p99",
                    true,
                    result -> result.figures().endToEnd().p99()),
            new Column(
                    "End-to-end, ms",
                    "max",
                    false,
                    result -> result.figures().endToEnd().max()),
            new Column("Server", "core·s/GB", true, Measure.CPU_PER_GB::of),
            new Column("Server", "MB memory", false, result -> result.figures().serverMaxResidentBytes() / 1e6),
            new Column("Server", "disk B/B", false, Measure.DISK_PER_BYTE::of),
            new Column("Backlog", "drain, s", false, result -> result.figures().backlogDrainSeconds()),
            new Column("Backlog", "records/s", false, result -> result.figures().backlogReadPerSecond()),
            new Column("Warmed by", "s", false, result -> result.warmth().seconds()),
            new Column("Warmed by", "records", false, result -> result.warmth().records()),
            new Column("Warmed by", "CPU 2nd ÷ 1st half", false, result -> Settling.of(result.series())),
            new Column(
                    "Machine, %",
                    "idle", false, result -> 100 * result.figures().use().idle()),
            new Column(
                    "Machine, %",
                    "steal", false, result -> 100 * result.figures().use().steal()),
            new Column(
                    "Client", "cores", false, result -> result.figures().use().clientCores()),
            new Column(
                    "Client",
                    "busiest thread, %",
                    false,
                    result -> 100 * result.figures().use().busiestClientThread()),
            new Column("Failed", "publishes", false, result -> result.figures().failedPublishes()));

    private final Charts charts;
    private final Case each;
    /** Columns without any figure are left out. */
    private final List<Column> columns;

    FiguresTable(Charts charts, Case each) {
        this.charts = charts;
        this.each = each;
        this.columns = COLUMNS.stream()
                .filter(column -> each.contenders().stream()
                        .anyMatch(contender ->
                                each.spread(contender, column.figure()).isPresent()))
                .toList();
    }

    /** A head over neighbouring columns. */
    record Group(String title, long columns) {}

    /** @param figures empty where every round failed */
    record Row(Key key, String rounds, boolean limitedByClient, List<Figure> figures) {}

    /** @param range empty for none */
    record Figure(String median, String range) {}

    List<Group> groups() {
        return columns.stream()
                .collect(Collectors.groupingBy(Column::group, LinkedHashMap::new, Collectors.counting()))
                .entrySet()
                .stream()
                .map(group -> new Group(group.getKey(), group.getValue()))
                .toList();
    }

    List<String> titles() {
        return columns.stream().map(Column::title).toList();
    }

    List<Row> rows() {
        Stream<MeasuredSystem> wentThrough = each.contenders().stream();
        Stream<MeasuredSystem> failed = each.failed().keySet().stream()
                .filter(contender -> each.of(contender).isEmpty());
        return Stream.concat(wentThrough, failed).map(this::row).toList();
    }

    private Row row(MeasuredSystem contender) {
        List<Figure> figures = each.of(contender).isEmpty()
                ? List.of()
                : columns.stream()
                        .map(column -> figure(column, each.spread(contender, column.figure())))
                        .toList();
        return new Row(charts.key(contender), each.roundsOf(contender), each.limitedByClient(contender), figures);
    }

    private static Figure figure(Column column, Spread spread) {
        return new Figure(Numbers.of(spread.median()), column.spread() ? Numbers.range(spread, Numbers::of) : "");
    }
}
