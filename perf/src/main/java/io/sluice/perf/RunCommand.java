package io.sluice.perf;

import io.sluice.perf.command.Console;
import io.sluice.perf.command.OutputOption;
import io.sluice.perf.driver.Targets;
import io.sluice.perf.load.OpenLoop;
import io.sluice.perf.result.ResultFiles;
import io.sluice.perf.result.RunResult;
import io.sluice.perf.workload.Batching;
import io.sluice.perf.workload.Sharing;
import io.sluice.perf.workload.Workload;
import io.sluice.perf.workload.Workload.KeyDistributor;
import io.sluice.perf.workload.WorkloadFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code run}: workloads against servers that run already. */
@Command(
        name = "run",
        description = "Put workloads on running servers with stock clients and write down what came out.",
        mixinStandardHelpOptions = true)
final class RunCommand implements Callable<Integer> {
    private static final int FAILED = 1;

    private final OpenLoop.Connector connector;

    @Mixin
    private Console console = new Console();

    @Parameters(
            arity = "0..*",
            paramLabel = "WORKLOAD",
            description = "Files in the OpenMessaging Benchmark's format (default: one made from the options below).")
    private List<Path> files = List.of();

    @Option(
            names = "--target",
            required = true,
            paramLabel = "URL",
            description =
                    "kafka://HOST:PORT, pulsar://HOST:PORT?http=URL or pravega://HOST:PORT; two with a comma between them: clients of"
                            + " the first write, those of the second read. May be given again.")
    private List<String> targets = List.of();

    @Option(names = "--name", description = "What reports call the servers (default: ${DEFAULT-VALUE}).")
    private String name = "sluice";

    @Option(names = "--server-pid", description = "Process on this machine whose CPU, memory and disk to measure.")
    private long serverPid;

    @Mixin
    private OutputOption output = new OutputOption();

    @ArgGroup(exclusive = false, heading = "Instead of a file:%n")
    private Shape shape = new Shape();

    RunCommand(OpenLoop.Connector connector) {
        this.connector = connector;
    }

    /** A workload of one topic, in options. */
    static final class Shape {
        @Option(names = "--partitions", description = "Default: 1.")
        private int partitions = 1;

        @Option(names = "--size", description = "Bytes per record. Default: 1024.")
        private int size = 1024;

        @Option(names = "--rate", description = "Records per second, 0 for as many as possible. Default: 0.")
        private int rate;

        @Option(names = "--seconds", description = "Measured time. Default: 10.")
        private int seconds = 10;

        @Option(names = "--warm-up", description = "Seconds before it. Default: 10.")
        private int warmUp = 10;

        @Option(names = "--batching", description = "STANDARD (128 KiB, 1 ms), LARGE (1 MiB, 10 ms), NONE.")
        private Batching batching = Batching.STANDARD;

        private Workload workload() {
            String name =
                    "%d partitions, %d B, %s".formatted(partitions, size, rate == 0 ? "maximum" : rate + " records/s");
            return new Workload(
                    name,
                    1,
                    partitions,
                    size,
                    1,
                    1,
                    1,
                    rate,
                    KeyDistributor.RANDOM_NANO,
                    0,
                    warmUp,
                    seconds,
                    batching,
                    0,
                    Sharing.PARTITIONS);
        }
    }

    @Override
    public Integer call() throws InterruptedException {
        try {
            Path folder = output.orNewIn(Path.of("perf", "results"), "");
            var loop = new OpenLoop(connector, console::progress);
            List<RunResult> results = new ArrayList<>();
            for (Workload workload : workloads()) {
                for (String target : targets) {
                    console.progress(workload.name() + ": " + target);
                    var subject = new RunResult.Subject(name, Targets.protocol(target), "", Map.of());
                    RunResult result = loop.drive(workload.name(), 1, workload, subject, target, serverPid);
                    results.add(result);
                    ResultFiles.write(folder, results);
                    console.print(line(result));
                }
            }
            console.print(folder.toString());
            return results.stream().allMatch(result -> result.failure() == null) ? 0 : FAILED;
        } catch (IOException | IllegalArgumentException e) {
            return console.fail(e);
        }
    }

    private List<Workload> workloads() throws IOException {
        if (files.isEmpty()) {
            return List.of(shape.workload());
        }
        List<Workload> read = new ArrayList<>();
        for (Path file : files) {
            read.add(WorkloadFile.read(file));
        }
        return read;
    }

    private static String line(RunResult result) {
        String what = result.workload().name() + " over " + result.subject().protocol() + ": ";
        if (result.failure() != null) {
            return what + "failed: " + result.failure();
        }
        RunResult.Figures figures = result.figures();
        return what
                + "%.0f records/s, %.1f MB/s, read %.0f/s, publish p50 %.2f p99 %.2f p99.9 %.2f max %.1f ms, end to end p50 %.2f p99 %.2f ms, "
                        .formatted(
                                figures.publishedPerSecond(),
                                figures.publishedMBPerSecond(),
                                figures.consumedPerSecond(),
                                figures.publish().p50(),
                                figures.publish().p99(),
                                figures.publish().p999(),
                                figures.publish().max(),
                                figures.endToEnd().p50(),
                                figures.endToEnd().p99())
                + "server %.2f core-s/GB, %d MiB, client %.1f core-s"
                        .formatted(
                                figures.serverCpuSecondsPerGB(),
                                figures.serverMaxResidentBytes() >> 20,
                                figures.clientCpuSeconds())
                + ", machine %.0f %% idle, %.0f %% stolen%s"
                        .formatted(
                                100 * figures.use().idle(),
                                100 * figures.use().steal(),
                                figures.use().limitedByClient() ? ", the client was the limit" : "")
                + (Double.isNaN(figures.backlogDrainSeconds())
                        ? ""
                        : ", backlog drained in %.1f s at %.0f records/s"
                                .formatted(figures.backlogDrainSeconds(), figures.backlogReadPerSecond()));
    }
}
