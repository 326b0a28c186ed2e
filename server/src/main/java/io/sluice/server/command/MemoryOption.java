package io.sluice.server.command;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option of commands whose process the launcher gives its memory. */
final class MemoryOption {
    @Option(
            names = "--memory",
            paramLabel = "SIZE",
            description =
                    "Memory of the whole process, for example 2g or 768m (default: a quarter of the machine, at most"
                            + " 2g; in the image three quarters of the container's limit). Read by the launcher.")
    @SuppressWarnings("UnusedVariable") // the launcher has acted on it; here so that help and checks know it
    private @Nullable String memory;
}
