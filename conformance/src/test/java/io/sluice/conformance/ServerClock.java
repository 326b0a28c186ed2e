package io.sluice.conformance;

import io.sluice.conformance.clients.Wanted;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A time of day that a server process sees instead of this machine's, by libfaketime (Debian's package {@code faketime}). What
 * counts from the machine's start is left alone, as it is when somebody sets the clock.
 */
final class ServerClock {
    private static final Path SYSTEM_LIBRARIES = Path.of("/usr/lib");
    private static final String LIBRARY = "faketime/libfaketimeMT.so.1";

    private final Path library;
    private final Path offset;

    private ServerClock(Path library, Path offset) {
        this.library = library;
        this.offset = offset;
    }

    /**
     * Right as yet. {@link Wanted} says what becomes of the test without the library.
     *
     * @param offset a file for how far it is off
     */
    static ServerClock in(Path offset) throws IOException {
        Optional<Path> library = library();
        Wanted.require(library.isPresent(), "libfaketime (Debian: faketime)");
        ServerClock clock = new ServerClock(library.orElseThrow(), offset);
        clock.set(Duration.ZERO);
        return clock;
    }

    /** In the folder of this machine's kind of processor, or above it. */
    private static Optional<Path> library() throws IOException {
        if (!Files.isDirectory(SYSTEM_LIBRARIES)) {
            return Optional.empty();
        }
        try (Stream<Path> folders = Files.list(SYSTEM_LIBRARIES)) {
            return Stream.concat(Stream.of(SYSTEM_LIBRARIES), folders)
                    .map(folder -> folder.resolve(LIBRARY))
                    .filter(Files::exists)
                    .findFirst();
        }
    }

    /** What a process has to have in its environment to see this clock. */
    Map<String, String> environment() {
        return Map.of(
                "LD_PRELOAD", library.toString(),
                "FAKETIME_TIMESTAMP_FILE", offset.toString(),
                "FAKETIME_CACHE_DURATION", "1",
                "FAKETIME_DONT_FAKE_MONOTONIC", "1",
                // the fix is for old C libraries; with it the JVM's timed waits end at once and every idle thread spins
                "FAKETIME_FORCE_MONOTONIC_FIX", "0",
                // else files have other dates than those by which the launcher knows a build that is up to date
                "NO_FAKE_STAT", "1");
    }

    /** Processes that run see it within a second or so. */
    void set(Duration fromNow) throws IOException {
        // in one step: a process that reads half of it would see another time
        Path next = Files.writeString(
                offset.resolveSibling(offset.getFileName() + ".next"), "%+d".formatted(fromNow.toSeconds()));
        Files.move(next, offset, StandardCopyOption.ATOMIC_MOVE);
    }
}
