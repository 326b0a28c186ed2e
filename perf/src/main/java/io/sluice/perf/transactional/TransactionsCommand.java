package io.sluice.perf.transactional;

import io.sluice.perf.command.Console;
import io.sluice.perf.command.OnlyOption;
import io.sluice.perf.command.TopicOptions;
import io.sluice.perf.compare.Systems;
import io.sluice.perf.machine.ServerProcess;
import io.sluice.perf.peer.PeerException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code transactions}: what a commit costs. */
@Command(
        name = "transactions",
        description =
                "Put transactional Kafka producers on Sluice and on Kafka, one server after the other, check that what"
                        + " they commit is what a consumer reads, and print commit times and throughput.",
        mixinStandardHelpOptions = true)
public final class TransactionsCommand implements Callable<Integer> {
    private static final int FAILED = 1;

    @Mixin
    private Console console = new Console();

    @Mixin
    private Systems systems = new Systems(console);

    @Mixin
    private OnlyOption only = new OnlyOption();

    @Mixin
    private TopicOptions topic = new TopicOptions(16, 1_000);

    @Option(names = "--many", description = "Producers of the last load (default: ${DEFAULT-VALUE}).")
    private int many = 1_000;

    @Option(names = "--seconds", description = "Measured (default: ${DEFAULT-VALUE}).")
    private int seconds = 20;

    @Override
    public Integer call() throws InterruptedException {
        try {
            boolean well = true;
            for (TransactionShape shape : TransactionShape.all(many)) {
                if (only.matches(shape.name())) {
                    well &= run(shape);
                }
            }
            console.printMachine();
            return well ? 0 : FAILED;
        } catch (PeerException | IOException | IllegalArgumentException e) {
            return console.fail(e);
        }
    }

    private boolean run(TransactionShape shape) throws PeerException, IOException, InterruptedException {
        console.progress(shape.name());
        Map<String, List<TransactionFigures>> all = new LinkedHashMap<>();
        boolean well = systems.visit((system, bootstrap, server) -> {
            var process = new ServerProcess(server.pid());
            // clients and server that are still being compiled would count
            new TransactionLoad(bootstrap, shape, topic.partitions(), topic.size(), "warm-up")
                    .run(systems.warmUp(), 1, process);
            var load = new TransactionLoad(bootstrap, shape, topic.partitions(), topic.size(), "measured");
            all.computeIfAbsent(system, name -> new ArrayList<>()).add(load.run(1, seconds, process));
        });
        console.print(shape.name() + ", warmed up for " + systems.warmUp() + " s, rounds: "
                + all.values().stream().mapToInt(List::size).min().orElse(0));
        systems.names().stream()
                .filter(all::containsKey)
                .forEach(system -> console.print(line(system, all.getOrDefault(system, List.of()))));
        return well;
    }

    /** Medians over the rounds. */
    private static String line(String system, List<TransactionFigures> figures) {
        return String.format(
                Locale.ROOT,
                "  %-12s %,9.0f records/s  %,7.1f commits/s  commit p50 %7.1f ms  p99 %7.1f ms  %6.1f CPU-s/GB",
                system,
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
}
