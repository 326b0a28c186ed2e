package io.sluice.perf.peer;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Setup common to all servers.
 *
 * @param memoryMebibytes heap of a peer, and its limit of direct memory; all memory of Sluice, which shares out one budget
 * @param logs folder of the servers' output
 * @param cores that a server runs on, as {@code taskset -c} wants them; empty for all
 * @param tls what the servers show to clients; null for connections without TLS
 */
public record ServerSetup(
        int memoryMebibytes,
        Path logs,
        String cores,
        @Nullable Certificates tls) {
    private static final int LEAST_MEBIBYTES = 512;

    public ServerSetup {
        if (memoryMebibytes < LEAST_MEBIBYTES) {
            throw new IllegalArgumentException(
                    "memory is " + memoryMebibytes + " MiB, want " + LEAST_MEBIBYTES + " or more");
        }
    }

    public ServerSetup(int memoryMebibytes, Path logs) {
        this(memoryMebibytes, logs, "", null);
    }

    /** The same with TLS for clients. */
    public ServerSetup with(Certificates certificates) {
        return new ServerSetup(memoryMebibytes, logs, cores, certificates);
    }

    /** Address of a listener for Kafka's clients, as the driver takes it. */
    String kafka(int port) {
        String address = "kafka://127.0.0.1:" + port;
        return tls == null ? address : address + "?authorities=" + tls.authorities();
    }

    /** A server's command, on its cores. */
    List<String> onCores(List<String> command) {
        if (cores.isEmpty()) {
            return command;
        }
        List<String> pinned = new ArrayList<>(List.of("taskset", "-c", cores));
        pinned.addAll(command);
        return pinned;
    }

    /** For the record. */
    String tlsText() {
        return tls == null ? "none" : "on";
    }

    /** For the record. */
    String coresText() {
        return cores.isEmpty() ? "all" : cores;
    }

    Path log(String name) {
        return logs.resolve(name + ".log");
    }
}
