package io.sluice.perf.report;

import io.sluice.perf.report.Table.Column;
import io.sluice.perf.result.Measure;
import io.sluice.perf.result.RunResult;
import io.sluice.perf.result.RunResult.Figures;
import io.sluice.perf.result.RunResult.Latency;
import io.sluice.perf.result.Settling;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.apache.poi.xssf.usermodel.XSSFSheet;

/** Everything that was measured, a row per result: the sheet to sort, filter and pivot. */
final class ResultsSheet {
    private static final List<Column<RunResult>> LOAD = List.of(
            Column.number("Topics", result -> result.workload().topics()),
            Column.number("Partitions per topic", result -> result.workload().partitionsPerTopic()),
            Column.number("Bytes per record", result -> result.workload().messageSize()),
            Column.number("Subscriptions per topic", result -> result.workload().subscriptionsPerTopic()),
            Column.number("Producers per topic", result -> result.workload().producersPerTopic()),
            Column.number(
                    "Offered, records/s (0: flat out)",
                    result -> result.workload().producerRate()),
            Column.number("Backlog, GB", result -> result.workload().consumerBacklogSizeGB()));
    private static final List<Column<RunResult>> CARRIED = List.of(
            figure("Published, records/s", Figures::publishedPerSecond),
            figure("Published, MB/s", Figures::publishedMBPerSecond),
            figure("Consumed, records/s", Figures::consumedPerSecond));
    private static final List<Column<RunResult>> COSTS = List.of(
            figure("Backlog drain, s", Figures::backlogDrainSeconds),
            figure("Backlog read, records/s", Figures::backlogReadPerSecond),
            figure("Server CPU, s", figures -> known(figures.serverCpuSeconds())),
            figure("Server core·s/GB", figures -> known(figures.serverCpuSecondsPerGB())),
            figure("Server memory, MB", figures -> known(figures.serverMaxResidentBytes()) / 1e6),
            figure("Server disk writes, MB", figures -> known(figures.serverDiskWriteBytes()) / 1e6),
            Column.number("Disk bytes per byte", Measure.DISK_PER_BYTE::of),
            figure("Client CPU, s", figures -> known(figures.clientCpuSeconds())),
            figure("Failed publishes", figures -> known(figures.failedPublishes())));
    private static final List<Column<RunResult>> CIRCUMSTANCES = List.of(
            Column.number("Warmed by, s", result -> result.warmth().seconds()),
            Column.number("Warmed by, records", result -> result.warmth().records()),
            Column.number("CPU per record, 2nd ÷ 1st half", result -> Settling.of(result.series())),
            figure("Machine idle, %", figures -> 100 * figures.use().idle()),
            figure("Machine steal, %", figures -> 100 * figures.use().steal()),
            figure("Client, cores", figures -> figures.use().clientCores()),
            figure("Client, busiest thread, %", figures -> 100 * figures.use().busiestClientThread()),
            Column.text("Limit", result -> result.figures().use().limitedByClient() ? "client" : ""),
            Column.text("Failure", 40, result -> Objects.requireNonNullElse(result.failure(), "")));

    private final JoinedResults joined;

    ResultsSheet(JoinedResults joined) {
        this.joined = joined;
    }

    void write(XSSFSheet sheet, Table.Styles styles) {
        List<Column<RunResult>> origin = List.of(
                Column.text("Suite", RunResult::suite),
                Column.text("Workload", result -> result.workload().name()),
                Column.text("System", result -> joined.label(MeasuredSystem.of(result))),
                Column.text("Version", 14, result -> result.subject().version()),
                Column.number("Round", RunResult::round),
                Column.text("Started, UTC", 20, result -> result.started().toString()),
                Column.text("Commit", RunResult::commit),
                Column.text("Machine", result -> result.machine().cpu()));
        Table<RunResult> table = new Table<>(
                sheet,
                styles,
                Stream.of(
                                origin,
                                LOAD,
                                CARRIED,
                                latency("Publish", Figures::publish),
                                latency("End-to-end", Figures::endToEnd),
                                COSTS,
                                CIRCUMSTANCES)
                        .flatMap(List::stream)
                        .toList());
        joined.results().forEach(table::add);
        table.finish();
    }

    private static List<Column<RunResult>> latency(String kind, Function<Figures, Latency> latency) {
        return List.of(
                figure(kind + " p50, ms", figures -> latency.apply(figures).p50()),
                figure(kind + " p95, ms", figures -> latency.apply(figures).p95()),
                figure(kind + " p99, ms", figures -> latency.apply(figures).p99()),
                figure(kind + " p99.9, ms", figures -> latency.apply(figures).p999()),
                figure(kind + " max, ms", figures -> latency.apply(figures).max()));
    }

    private static Column<RunResult> figure(String title, ToDoubleFunction<Figures> figure) {
        return Column.number(title, result -> figure.applyAsDouble(result.figures()));
    }

    /** Unknown values are negative. */
    private static double known(double value) {
        return value < 0 ? Double.NaN : value;
    }
}
