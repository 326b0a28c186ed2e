package io.sluice.perf.moving;

import io.sluice.perf.command.Console;
import io.sluice.perf.command.ContainersOption;
import io.sluice.perf.compare.BenchOptions;
import io.sluice.perf.load.OpenLoop;
import io.sluice.perf.machine.ServerProcess;
import io.sluice.perf.peer.Checkout;
import io.sluice.perf.peer.Contender;
import io.sluice.perf.peer.Contenders;
import io.sluice.perf.peer.RunningServer;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code moves}: what moves, splits and merges cost. */
@Command(
        name = "moves",
        description =
                "Move partitions between containers under a steady load, split and merge segments of a scalable topic under one, then"
                        + " split as fast as the server can, and print how long each takes, how long writers wait, and the server's CPU.",
        mixinStandardHelpOptions = true)
public final class MovesCommand implements Callable<Integer> {
    private static final int PARTITIONS = 16;
    /** Many enough that each of two segments gets some of them. */
    private static final int KEYS = 64;

    private static final String TOPIC = "moved";
    private static final String SCALABLE = "split";

    private final OpenLoop.Connector connector;

    @Mixin
    private Console console = new Console();

    @Mixin
    private BenchOptions bench = new BenchOptions();

    @Option(
            names = "--moves",
            description = "Of partitions, and as many splits and merges (default: ${DEFAULT-VALUE}).")
    private int moves = 200;

    @Option(names = "--splits", description = "As fast as they go, at the end (default: ${DEFAULT-VALUE}).")
    private int splits = 1_000;

    @Option(names = "--rate", description = "Records of 1 kB a second meanwhile (default: ${DEFAULT-VALUE}).")
    private int rate = 4_000;

    @Mixin
    private ContainersOption containers = new ContainersOption();

    public MovesCommand(OpenLoop.Connector connector) {
        this.connector = connector;
    }

    @Override
    public Integer call() throws InterruptedException {
        try {
            var checkout = Checkout.find();
            Contender sluice = Contenders.sluice(
                    bench.setup(checkout),
                    checkout,
                    Map.of(
                            "store.containers", Integer.toString(containers.count()),
                            "balance.enabled", "false",
                            "scaling.enabled", "false"));
            sluice.prepare();
            Files.createDirectories(bench.data(checkout));
            for (int round = 1; round <= bench.rounds(); round++) {
                console.progress("round " + round);
                Path data = Files.createTempDirectory(bench.data(checkout), "sluice-");
                try (RunningServer server = sluice.start(data)) {
                    measure(server);
                }
            }
            console.printMachine();
            return 0;
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            return console.fail(e);
        }
    }

    private void measure(RunningServer server) throws Exception {
        String kafka = URI.create(server.target("kafka")).getAuthority();
        String pulsar = server.target("pulsar");
        var process = new ServerProcess(server.pid());
        var waits = new Waits();
        try (var admin = new Admin(pulsar.substring(pulsar.indexOf("http=") + "http=".length()))) {
            console.progress("moves");
            var kafkaWriter = new KafkaWriter(kafka, TOPIC, PARTITIONS);
            try (var load = new SteadyLoad(kafkaWriter, waits, PARTITIONS, rate)) {
                var changes = new Changes(waits, load, process);
                changes.warmUp(n -> move(admin, n));
                console.print(
                        changes.measure("move", moves, n -> new Changes.Span(n % PARTITIONS, 1), n -> move(admin, n))
                                .line());
            }
            console.progress("splits and merges");
            var target = connector.connect(pulsar.replaceFirst("pulsar:", "pulsar5:"));
            target.createTopics(List.of(SCALABLE), 1);
            try (var load = new SteadyLoad(new KeyedWriter(target, SCALABLE), waits, KEYS, rate)) {
                var changes = new Changes(waits, load, process);
                changes.warmUp(n -> splitOrMerge(admin));
                console.print(changes.measure(
                                "split or merge", moves, n -> new Changes.Span(0, KEYS), n -> splitOrMerge(admin))
                        .line());
            }
            console.progress("splits as fast as they go");
            console.print(new ManySplits(admin, process).run(splits));
        }
    }

    private void move(Admin admin, int number) throws IOException, InterruptedException {
        int partition = number % PARTITIONS;
        int now = admin.container(TOPIC, partition);
        admin.move(TOPIC, partition, (now + 1) % containers.count());
    }

    /** Splits a single segment, or merges two. */
    private static void splitOrMerge(Admin admin) throws IOException, InterruptedException {
        List<Long> active = admin.segments(SCALABLE);
        if (active.size() == 1) {
            admin.split(SCALABLE, active.getFirst());
        } else {
            admin.merge(SCALABLE, active.get(0), active.get(1));
        }
    }
}
