package io.sluice.perf.transactional;

import io.sluice.perf.compare.BenchOptions;
import io.sluice.perf.machine.ServerProcess;
import io.sluice.perf.machine.ThisMachine;
import io.sluice.perf.peer.Checkout;
import io.sluice.perf.peer.Contender;
import io.sluice.perf.peer.Contenders;
import io.sluice.perf.peer.PeerException;
import io.sluice.perf.peer.RunningServer;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code transactions}: what a commit costs. */
@Command(
        name = "transactions",
        description =
                "Put transactional Kafka producers on Sluice and on Kafka, one server after the other, check that what"
                        + " they commit is what a consumer reads, and print commit times and throughput.",
        mixinStandardHelpOptions = true)
public final class TransactionsCommand implements Callable<Integer> {
    private static final int FAILED = 1;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli before call()
    private CommandSpec spec;

    @Mixin
    private BenchOptions bench = new BenchOptions();

    @Option(
            names = "--systems",
            split = ",",
            paramLabel = "NAME",
            description = "Of sluice, kafka, kafka-flush (default: all of them).")
    private List<String> systems = List.of("sluice", "kafka", "kafka-flush");

    @Option(names = "--only", paramLabel = "TEXT", description = "Only the loads whose name contains it.")
    private String only = "";

    @Option(names = "--partitions", description = "Of the topic (default: ${DEFAULT-VALUE}).")
    private int partitions = 16;

    @Option(names = "--size", description = "Bytes per record (default: ${DEFAULT-VALUE}).")
    private int size = 1_000;

    @Option(names = "--many", description = "Producers of the last load (default: ${DEFAULT-VALUE}).")
    private int many = 1_000;

    @Option(names = "--warm-up", description = "Seconds before the measured time (default: ${DEFAULT-VALUE}).")
    private int warmUp = 10;

    @Option(names = "--seconds", description = "Measured (default: ${DEFAULT-VALUE}).")
    private int seconds = 20;

    @Override
    public Integer call() throws InterruptedException {
        try {
            var checkout = Checkout.find();
            var contenders = new Contenders(bench.setup(checkout), checkout);
            for (String name : systems) {
                contenders.named(name).prepare();
            }
            Files.createDirectories(bench.data(checkout));
            boolean failed = false;
            for (TransactionShape shape : TransactionShape.all(many)) {
                if (shape.name().contains(only)) {
                    failed |= run(shape, contenders, bench.data(checkout));
                }
            }
            var machine = ThisMachine.describe();
            print(machine.cpu() + ", " + machine.cores() + " cores, commit " + ThisMachine.commit());
            return failed ? FAILED : 0;
        } catch (PeerException | IOException | IllegalArgumentException e) {
            spec.commandLine().getErr().println("transactions: " + e.getMessage());
            return FAILED;
        }
    }

    /** Rounds alternate the order. True if one failed. */
    private boolean run(TransactionShape shape, Contenders contenders, Path data)
            throws PeerException, IOException, InterruptedException {
        Map<String, List<TransactionFigures>> all = new LinkedHashMap<>();
        systems.forEach(name -> all.put(name, new ArrayList<>()));
        boolean failed = false;
        for (int round = 1; round <= bench.rounds(); round++) {
            for (String name : round % 2 == 1 ? systems : systems.reversed()) {
                progress(shape.name() + ", round " + round + ": " + name);
                try {
                    all.getOrDefault(name, new ArrayList<>()).add(measure(shape, contenders.named(name), data));
                } catch (InterruptedException | PeerException e) {
                    throw e;
                } catch (Exception e) {
                    progress("failed: " + e.getMessage());
                    failed = true;
                }
            }
        }
        print(shape.name());
        all.forEach((name, figures) -> print(line(name, figures)));
        return failed;
    }

    private TransactionFigures measure(TransactionShape shape, Contender contender, Path data) throws Exception {
        Path folder = Files.createTempDirectory(data, contender.name() + "-");
        try (RunningServer server = contender.start(folder)) {
            String bootstrap = URI.create(server.target("kafka")).getAuthority();
            var process = new ServerProcess(server.pid());
            // clients and server that are still being compiled would count
            new TransactionLoad(bootstrap, shape, partitions, size, "warm-up").run(warmUp, 1, process);
            return new TransactionLoad(bootstrap, shape, partitions, size, "measured").run(1, seconds, process);
        }
    }

    /** Medians over the rounds. */
    private static String line(String name, List<TransactionFigures> figures) {
        return figures.isEmpty()
                ? String.format(Locale.ROOT, "  %-12s failed", name)
                : String.format(
                        Locale.ROOT,
                        "  %-12s %,9.0f records/s  %,7.1f commits/s  commit p50 %7.1f ms  p99 %7.1f ms  %6.1f CPU-s/GB",
                        name,
                        median(figures, TransactionFigures::recordsPerSecond),
                        median(figures, TransactionFigures::commitsPerSecond),
                        median(figures, TransactionFigures::commitP50),
                        median(figures, TransactionFigures::commitP99),
                        median(figures, TransactionFigures::cpuPerGigabyte));
    }

    private static double median(List<TransactionFigures> figures, ToDoubleFunction<TransactionFigures> of) {
        double[] sorted = figures.stream().mapToDouble(of).sorted().toArray();
        return sorted[(sorted.length - 1) / 2];
    }

    private void print(String line) {
        spec.commandLine().getOut().println(line);
        spec.commandLine().getOut().flush();
    }

    private void progress(String line) {
        spec.commandLine().getErr().println(line);
        spec.commandLine().getErr().flush();
    }
}
