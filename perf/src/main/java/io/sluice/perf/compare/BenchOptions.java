package io.sluice.perf.compare;

import io.sluice.perf.machine.Cores;
import io.sluice.perf.peer.Checkout;
import io.sluice.perf.peer.PeerException;
import io.sluice.perf.peer.ServerSetup;
import io.sluice.perf.result.Warmth;
import io.sluice.perf.suite.Suite;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of every command that starts servers. */
public final class BenchOptions {
    private static final Pattern SIZE = Pattern.compile("(\\d{1,6})([gGmM])");

    @Option(names = "--rounds", description = "Times that everything is measured (default: ${DEFAULT-VALUE}).")
    private int rounds = 3;

    @Option(
            names = "--warm-up",
            paramLabel = "SECONDS",
            description =
                    "Load of the same kind before each measured time (default: ${DEFAULT-VALUE}); results after less than"
                            + " a minute show no winner.")
    private int warmUp = Warmth.ENOUGH_SECONDS;

    @Option(
            names = "--scale",
            description = "Factor for measured times and backlogs of a suite (default: ${DEFAULT-VALUE}).")
    private double scale = 1;

    @Option(
            names = "--memory",
            paramLabel = "SIZE",
            description = "Heap of each peer, and all memory of Sluice, 2g or 768m (default: ${DEFAULT-VALUE}).")
    private String memory = "2g";

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Where the servers keep their data while they run (default: perf/target/servers).")
    private @Nullable Path data;

    @Option(
            names = "--pin",
            description = "Run the clients on one half of the cores and each server on the other, by taskset.")
    private boolean pin;

    /** As it is to be measured: scaled and warmed up for as long as wanted. */
    public Suite adapted(Suite suite) {
        return suite.scaled(scale).warmedFor(warmUp);
    }

    /** Seconds of load before a measured time. */
    public int warmUp() {
        return warmUp;
    }

    /** @throws IllegalArgumentException unless at least 1 */
    public int rounds() {
        if (rounds < 1) {
            throw new IllegalArgumentException("--rounds is " + rounds + ", want 1 or more");
        }
        return rounds;
    }

    public Path data(Checkout checkout) {
        return data == null ? checkout.work().resolve("servers") : data.toAbsolutePath();
    }

    /** Makes the folder of their logs, and pins this process if that is wanted, too. */
    public ServerSetup setup(Checkout checkout) throws PeerException {
        Path logs = checkout.work().resolve("server-logs");
        try {
            Files.createDirectories(logs);
            if (!pin) {
                return new ServerSetup(mebibytes(memory), logs);
            }
            Cores cores = Cores.split();
            cores.pinThisProcess();
            return new ServerSetup(mebibytes(memory), logs, cores.server(), null);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PeerException("interrupted while pinning this process", e);
        } catch (IOException e) {
            throw new PeerException("cannot set up " + logs + ": " + e.getMessage(), e);
        }
    }

    /** As {@code ./sluice --memory} reads it: 2g, 768m. */
    static int mebibytes(String size) {
        Matcher matcher = SIZE.matcher(size);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("memory is '" + size + "', expected for example 2g or 768m");
        }
        int number = Integer.parseInt(matcher.group(1));
        return matcher.group(2).equalsIgnoreCase("g") ? number * 1024 : number;
    }
}
