package io.sluice.perf.compare;

import io.sluice.perf.peer.Checkout;
import io.sluice.perf.peer.PeerException;
import io.sluice.perf.peer.ServerSetup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of every command that starts servers. */
public final class BenchOptions {
    @Option(names = "--rounds", description = "Times that everything is measured (default: ${DEFAULT-VALUE}).")
    private int rounds = 3;

    @Option(
            names = "--scale",
            description = "Factor for durations and backlogs of a suite (default: ${DEFAULT-VALUE}).")
    private double scale = 1;

    @Option(
            names = "--memory",
            paramLabel = "MIB",
            description = "Heap of each peer, and all memory of Sluice (default: ${DEFAULT-VALUE}).")
    private int memoryMebibytes = 2048;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Where the servers keep their data while they run (default: perf/target/servers).")
    private @Nullable Path data;

    public double scale() {
        return scale;
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

    /** Makes the folder of their logs, too. */
    public ServerSetup setup(Checkout checkout) throws PeerException {
        Path logs = checkout.work().resolve("server-logs");
        try {
            return new ServerSetup(memoryMebibytes, Files.createDirectories(logs));
        } catch (IOException e) {
            throw new PeerException("cannot make " + logs + ": " + e.getMessage(), e);
        }
    }
}
