package io.sluice.perf.peer;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Setup common to all servers.
 *
 * @param memoryMebibytes heap of a peer, and its limit of direct memory; all memory of Sluice, which shares out one budget
 * @param logs folder of the servers' output
 * @param cores that a server runs on, as {@code taskset -c} wants them; empty for all
 */
public record ServerSetup(int memoryMebibytes, Path logs, String cores) {
    private static final int LEAST_MEBIBYTES = 512;

    public ServerSetup {
        if (memoryMebibytes < LEAST_MEBIBYTES) {
            throw new IllegalArgumentException(
                    "memory is " + memoryMebibytes + " MiB, want " + LEAST_MEBIBYTES + " or more");
        }
    }

    public ServerSetup(int memoryMebibytes, Path logs) {
        this(memoryMebibytes, logs, "");
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
    String coresText() {
        return cores.isEmpty() ? "all" : cores;
    }

    Path log(String name) {
        return logs.resolve(name + ".log");
    }
}
