package io.sluice.perf.compare;

import io.sluice.perf.command.Console;
import io.sluice.perf.command.OnlyOption;
import io.sluice.perf.command.OutputOption;
import io.sluice.perf.peer.Certificates;
import io.sluice.perf.peer.Checkout;
import io.sluice.perf.peer.Contender;
import io.sluice.perf.peer.Contenders;
import io.sluice.perf.peer.PeerException;
import io.sluice.perf.peer.ServerSetup;
import io.sluice.perf.result.RunResult;
import io.sluice.perf.suite.Suite;
import io.sluice.perf.suite.Suites;
import io.sluice.perf.workload.Workload;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code compare}: Sluice beside its peers on this machine. */
@Command(
        name = "compare",
        description =
                "Start Sluice and other systems one after the other, put the same load on each, and print ratios.",
        mixinStandardHelpOptions = true)
public final class CompareCommand implements Callable<Integer> {
    private static final int FAILED = 1;
    private static final String SLUICE = "sluice";

    private final Engine engine;

    @Mixin
    private Console console = new Console();

    @Mixin
    private BenchOptions bench = new BenchOptions();

    @Option(
            names = "--peers",
            split = ",",
            paramLabel = "NAME",
            description =
                    "Of kafka, kafka-flush, pulsar, pulsar-nosync, pravega, sluice-2 (default: ${DEFAULT-VALUE}).")
    private List<String> peers = List.of("kafka", "kafka-flush", "pulsar");

    @Option(
            names = "--protocols",
            split = ",",
            paramLabel = "NAME",
            description = "Over which Sluice is driven: kafka, pulsar (default: those of the peers).")
    private List<String> protocols = List.of();

    @Option(
            names = "--suite",
            paramLabel = "NAME",
            description =
                    "overview, pravega-2020, streamnative-2020, sbk-2024, sweep, targets, durability, keys, clients, readers or"
                            + " history.")
    private List<String> suites = List.of();

    @Parameters(arity = "0..*", paramLabel = "WORKLOAD", description = "Workload files.")
    private List<Path> workloads = List.of();

    @Mixin
    private OnlyOption only = new OnlyOption();

    @Option(
            names = "--over",
            paramLabel = "NAME",
            description =
                    "The system that is divided by each other one, for example sluice-2 by those that do not wait for the"
                            + " disk either (default: ${DEFAULT-VALUE}).")
    private String over = SLUICE;

    @Option(
            names = "--tls",
            description = "Clients come by TLS, over Kafka's protocol: Sluice and Kafka with one certificate.")
    private boolean tls;

    @Mixin
    private OutputOption output = new OutputOption();

    public CompareCommand(Engine engine) {
        this.engine = engine;
    }

    @Override
    public Integer call() throws InterruptedException {
        try {
            var checkout = Checkout.find();
            ServerSetup setup = bench.setup(checkout);
            if (tls) {
                setup = setup.with(Certificates.make(checkout, setup.logs()));
            }
            List<Entrant> entrants = entrants(new Contenders(setup, checkout));
            List<Turn> turns = Schedule.of(chosenSuites(), entrants, bench.rounds());
            Comparison.prepare(entrants, console::progress);
            Path folder = output.orNewIn(checkout.work().resolve("runs"), "");
            List<RunResult> results = new ArrayList<>();
            var comparison = new Comparison(bench.data(checkout), engine.driver(), console::progress);
            comparison.run(turns, result -> {
                results.add(result);
                engine.results().write(folder, results);
            });
            RatioLines.of(results, over).forEach(console::print);
            console.print("Each figure is " + over + " / peer: the median, and (lowest..highest) of the rounds.");
            List<String> selves = RatioLines.selves(results);
            if (!selves.isEmpty()) {
                console.print("Each system over itself:");
                selves.forEach(console::print);
            }
            console.print(folder.toString());
            return results.stream().allMatch(result -> result.failure() == null) ? 0 : FAILED;
        } catch (PeerException | IOException | IllegalArgumentException e) {
            return console.fail(e);
        }
    }

    private List<Entrant> entrants(Contenders contenders) throws PeerException {
        List<Contender> others = new ArrayList<>();
        for (String peer : peers) {
            others.add(contenders.named(peer));
        }
        List<Entrant> entrants = Entrant.lineup(contenders.named(SLUICE), others, protocols);
        if (tls && entrants.stream().anyMatch(each -> !each.protocol().equals("kafka"))) {
            throw new IllegalArgumentException("--tls is for --protocols kafka, and for peers that speak it");
        }
        return entrants;
    }

    /** Named suites, and a suite of its own for every workload file. */
    private List<Suite> chosenSuites() throws IOException {
        List<Suite> chosen = new ArrayList<>();
        for (String name : suites) {
            Suite suite = Suites.named(name)
                    .orElseThrow(() -> new IllegalArgumentException("no suite is called '" + name + "'; there are "
                            + Suites.all().stream().map(Suite::name).collect(Collectors.joining(", "))));
            chosen.add(bench.adapted(suite));
        }
        for (Path file : workloads) {
            Workload workload = engine.workloads().read(file);
            chosen.add(new Suite(workload.name(), file.toString(), List.of(workload)));
        }
        List<Suite> matching = chosen.stream()
                .map(suite -> suite.only(only.text()))
                .filter(suite -> !suite.workloads().isEmpty())
                .toList();
        if (matching.isEmpty()) {
            throw new IllegalArgumentException("nothing to measure: give a --suite or workload files");
        }
        return matching;
    }
}
