package io.sluice.perf.command;

import picocli.CommandLine.Option;

/** {@code --containers} of commands that start Sluice with several. */
public final class ContainersOption {
    @Option(names = "--containers", description = "Of the server (default: ${DEFAULT-VALUE}).")
    private int containers = 8;

    public int count() {
        return containers;
    }
}
