package io.sluice.server.command;

import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The option of commands that work on a data folder. */
final class DataOption {
    @Option(
            names = "--data",
            paramLabel = "DIR",
            defaultValue = "${sys:sluice.data:-data}",
            description = "Folder for all data (default: ${DEFAULT-VALUE}).")
    @SuppressWarnings("NullAway.Init") // has a default
    private Path folder;

    Path folder() {
        return folder;
    }
}
