package io.sluice.server.security;

import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The option of commands that work on a {@link SecurityFolder}. */
final class FolderOption {
    @Option(
            names = "--folder",
            paramLabel = "FOLDER",
            required = true,
            description = "The folder, with the keys of its authorities.")
    @SuppressWarnings("NullAway.Init") // required
    private Path path;

    Path path() {
        return path;
    }
}
