package io.sluice.perf.report;

import io.sluice.perf.report.Table.Head;
import io.sluice.perf.result.MachineUse;
import io.sluice.perf.result.Measure;
import io.sluice.perf.result.RunResult;
import io.sluice.perf.result.RunResult.Latency;
import io.sluice.perf.result.Settling;
import io.sluice.perf.workload.Workload;
import java.util.List;
import java.util.Objects;
import org.apache.poi.xssf.usermodel.XSSFSheet;

/** Everything that was measured, a row per result: the sheet to sort, filter and pivot. */
final class ResultsSheet {
    private static final List<Head> HEADS = List.of(
            Head.text("Suite"),
            Head.text("Workload"),
            Head.text("System"),
            Head.number("Version"),
            Head.number("Round"),
            Head.text("Started, UTC", 20),
            Head.text("Commit"),
            Head.text("Machine"),
            Head.number("Topics"),
            Head.number("Partitions per topic"),
            Head.number("Bytes per record"),
            Head.number("Subscriptions per topic"),
            Head.number("Producers per topic"),
            Head.number("Offered, records/s (0: flat out)"),
            Head.number("Backlog, GB"),
            Head.number("Published, records/s"),
            Head.number("Published, MB/s"),
            Head.number("Consumed, records/s"),
            Head.number("Publish p50, ms"),
            Head.number("Publish p95, ms"),
            Head.number("Publish p99, ms"),
            Head.number("Publish p99.9, ms"),
            Head.number("Publish max, ms"),
            Head.number("End-to-end p50, ms"),
            Head.number("End-to-end p95, ms"),
            Head.number("End-to-end p99, ms"),
            Head.number("End-to-end p99.9, ms"),
            Head.number("End-to-end max, ms"),
            Head.number("Backlog drain, s"),
            Head.number("Backlog read, records/s"),
            Head.number("Server CPU, s"),
            Head.number("Server core·s/GB"),
            Head.number("Server memory, MB"),
            Head.number("Server disk writes, MB"),
            Head.number("Disk bytes per byte"),
            Head.number("Client CPU, s"),
            Head.number("Failed publishes"),
            Head.number("Warmed by, s"),
            Head.number("Warmed by, records"),
            Head.number("CPU per record, 2nd ÷ 1st half"),
            Head.number("Machine idle, %"),
            Head.number("Machine steal, %"),
            Head.number("Client, cores"),
            Head.number("Client, busiest thread, %"),
            Head.text("Limit"),
            Head.text("Failure", 40));

    private final Joined joined;

    ResultsSheet(Joined joined) {
        this.joined = joined;
    }

    void write(XSSFSheet sheet, Table.Styles styles) {
        Table table = new Table(sheet, styles, HEADS);
        for (RunResult result : joined.results()) {
            writeOrigin(table.row(), result);
            writeLoad(table, result.workload());
            writeFigures(table, result);
            table.number(result.warmth().seconds())
                    .number(result.warmth().records())
                    .number(Settling.of(result.series()));
            MachineUse use = result.figures().use();
            table.number(100 * use.idle())
                    .number(100 * use.steal())
                    .number(use.clientCores())
                    .number(100 * use.busiestClientThread())
                    .text(use.limitedByClient() ? "client" : "")
                    .text(Objects.requireNonNullElse(result.failure(), ""));
        }
        table.finish();
    }

    private void writeOrigin(Table table, RunResult result) {
        table.text(result.suite())
                .text(result.workload().name())
                .text(joined.label(Contender.of(result)))
                .text(result.subject().version())
                .number(result.round())
                .text(result.started().toString())
                .text(result.commit())
                .text(result.machine().cpu());
    }

    private static void writeLoad(Table table, Workload workload) {
        table.number(workload.topics())
                .number(workload.partitionsPerTopic())
                .number(workload.messageSize())
                .number(workload.subscriptionsPerTopic())
                .number(workload.producersPerTopic())
                .number(workload.producerRate())
                .number(workload.consumerBacklogSizeGB());
    }

    private static void writeFigures(Table table, RunResult result) {
        var figures = result.figures();
        table.number(figures.publishedPerSecond())
                .number(figures.publishedMBPerSecond())
                .number(figures.consumedPerSecond());
        writeLatency(table, figures.publish());
        writeLatency(table, figures.endToEnd());
        table.number(figures.backlogDrainSeconds())
                .number(figures.backlogReadPerSecond())
                .number(known(figures.serverCpuSeconds()))
                .number(known(figures.serverCpuSecondsPerGB()))
                .number(known(figures.serverMaxResidentBytes()) / 1e6)
                .number(known(figures.serverDiskWriteBytes()) / 1e6)
                .number(Measure.DISK_PER_BYTE.of(result))
                .number(known(figures.clientCpuSeconds()))
                .number(known(figures.failedPublishes()));
    }

    private static void writeLatency(Table table, Latency latency) {
        table.number(latency.p50())
                .number(latency.p95())
                .number(latency.p99())
                .number(latency.p999())
                .number(latency.max());
    }

    private static double known(double value) {
        return value < 0 ? Double.NaN : value;
    }
}
