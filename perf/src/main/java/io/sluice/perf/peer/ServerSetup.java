package io.sluice.perf.peer;

import java.nio.file.Path;

/**
 * What is the same for all servers.
 *
 * @param memoryMebibytes heap of a peer, and its limit of direct memory; all memory of Sluice, which shares out one budget
 * @param logs folder of the servers' output
 */
public record ServerSetup(int memoryMebibytes, Path logs) {
    private static final int LEAST_MEBIBYTES = 512;

    public ServerSetup {
        if (memoryMebibytes < LEAST_MEBIBYTES) {
            throw new IllegalArgumentException(
                    "memory is " + memoryMebibytes + " MiB, want " + LEAST_MEBIBYTES + " or more");
        }
    }

    Path log(String name) {
        return logs.resolve(name + ".log");
    }
}
