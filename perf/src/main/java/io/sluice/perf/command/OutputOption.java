package io.sluice.perf.command;

import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code --output} of commands that keep what they measured. */
public final class OutputOption {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");

    @Option(
            names = "--output",
            paramLabel = "DIR",
            description = "Where the results go (default: a new folder, whose path is printed).")
    private @Nullable Path output;

    /** Folder that was asked for, or one in {@code parent} with the time, UTC, and {@code suffix} as its name; not made yet. */
    public Path orNewIn(Path parent, String suffix) {
        return output == null ? parent.resolve(LocalDateTime.now(ZoneOffset.UTC).format(TIME) + suffix) : output;
    }
}
