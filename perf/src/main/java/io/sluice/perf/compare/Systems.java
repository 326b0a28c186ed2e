package io.sluice.perf.compare;

import io.sluice.perf.command.Console;
import io.sluice.perf.peer.Checkout;
import io.sluice.perf.peer.Contender;
import io.sluice.perf.peer.Contenders;
import io.sluice.perf.peer.PeerException;
import io.sluice.perf.peer.RunningServer;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options of commands that put loads of their own on Kafka's port of some systems, and the servers' turns: one at a time, each on an empty folder. */
public final class Systems {
    private final Console console;

    @Mixin
    private BenchOptions bench = new BenchOptions();

    @Option(
            names = "--systems",
            split = ",",
            paramLabel = "NAME",
            description = "Of sluice, sluice-2, kafka, kafka-flush (default: sluice and kafka).")
    private List<String> names = List.of("sluice", "kafka");

    /** @param console of the command */
    public Systems(Console console) {
        this.console = console;
    }

    /** Work done with a running server. */
    public interface Visit {
        /** @param bootstrap for Kafka's clients */
        void with(String system, String bootstrap, RunningServer server) throws Exception;
    }

    /** Seconds of load before a measured time. */
    public int warmUp() {
        return bench.warmUp();
    }

    /** Systems in the order of the command line. */
    public List<String> names() {
        return names;
    }

    /**
     * Has every round visit all of them; every second round goes backwards.
     *
     * @return whether all went well; what did not is told
     * @throws PeerException a server cannot be fetched or started
     */
    public boolean visit(Visit visit) throws PeerException, IOException, InterruptedException {
        var checkout = Checkout.find();
        var contenders = new Contenders(bench.setup(checkout), checkout);
        for (String name : names) {
            contenders.named(name).prepare();
        }
        Path data = Files.createDirectories(bench.data(checkout));
        boolean well = true;
        for (int round = 1; round <= bench.rounds(); round++) {
            for (String name : round % 2 == 1 ? names : names.reversed()) {
                console.progress("round " + round + ": " + name);
                well &= visit(contenders.named(name), data, visit);
            }
        }
        return well;
    }

    private boolean visit(Contender contender, Path data, Visit visit)
            throws PeerException, IOException, InterruptedException {
        Path folder = Files.createTempDirectory(data, contender.name() + "-");
        try (RunningServer server = contender.start(folder)) {
            String bootstrap = URI.create(server.target("kafka")).getAuthority();
            visit.with(contender.name(), bootstrap, server);
            return true;
        } catch (PeerException | IOException | InterruptedException e) {
            throw e;
        } catch (Exception e) {
            console.print(contender.name() + " failed: " + e.getMessage());
            return false;
        }
    }
}
