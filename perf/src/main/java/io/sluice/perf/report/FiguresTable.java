package io.sluice.perf.report;

import io.sluice.perf.result.Measure;
import io.sluice.perf.result.RunResult;
import io.sluice.perf.result.Settling;
import io.sluice.perf.result.Spread;
import java.util.List;
import java.util.function.ToDoubleFunction;

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

    private final Legend legend;

    FiguresTable(Legend legend) {
        this.legend = legend;
    }

    /** Columns without any figure are left out. */
    void write(Markup out, Case each) {
        List<Column> columns = COLUMNS.stream()
                .filter(column -> each.contenders().stream()
                        .anyMatch(contender ->
                                each.spread(contender, column.figure()).isPresent()))
                .toList();
        out.open("div", "class", "wide").open("table", "class", "figures");
        writeHead(out, columns);
        out.open("tbody");
        for (Contender contender : each.contenders()) {
            out.open("tr").open("th", "scope", "row", "class", "contender");
            legend.write(out, contender);
            out.close();
            out.open("td", "class", "figure").text(each.roundsOf(contender));
            if (each.limitedByClient(contender)) {
                out.leaf("small", "client was the limit");
            }
            out.close();
            columns.forEach(column -> writeCell(out, column, each.spread(contender, column.figure())));
            out.close();
        }
        for (Contender contender : each.failed().keySet()) {
            if (each.of(contender).isEmpty()) {
                out.open("tr").open("th", "scope", "row", "class", "contender");
                legend.write(out, contender);
                out.close()
                        .leaf("td", each.roundsOf(contender), "class", "figure")
                        .leaf("td", "failed")
                        .close();
            }
        }
        out.close().close().close().line();
    }

    private static void writeHead(Markup out, List<Column> columns) {
        out.open("thead").open("tr").empty("td").empty("td");
        for (int from = 0, to; from < columns.size(); from = to) {
            String group = columns.get(from).group();
            to = from;
            while (to < columns.size() && columns.get(to).group().equals(group)) {
                to++;
            }
            out.leaf("th", group, "scope", "colgroup", "class", "figure group", "colspan", String.valueOf(to - from));
        }
        out.close().open("tr").empty("td").leaf("th", "rounds", "scope", "col", "class", "figure");
        columns.forEach(column -> out.leaf("th", column.title(), "scope", "col", "class", "figure"));
        out.close().close();
    }

    private static void writeCell(Markup out, Column column, Spread spread) {
        out.open("td", "class", "figure").text(Numbers.of(spread.median()));
        String range = column.spread() ? Numbers.range(spread, Numbers::of) : "";
        if (!range.isEmpty()) {
            out.leaf("small", range);
        }
        out.close();
    }
}
