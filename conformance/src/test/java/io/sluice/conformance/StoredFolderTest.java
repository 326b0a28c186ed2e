package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Data folders of earlier servers, each killed under its data, are opened and read whole by this one. There is one for each change of
 * a format, named for the day on which {@code conformance/record-stored-folder} made it; {@code docs/formats.md} says when to.
 */
class StoredFolderTest {
    private static final Path FOLDERS = Path.of("src/test/resources/stored");

    /** Folders of this day and later have transactions, and topics that are compacted, moved, elastic or scalable. */
    private static final LocalDate TRANSACTIONS = LocalDate.parse("2026-11-27");

    @TempDir
    private Path temporary;

    static Stream<Path> folders() throws IOException {
        try (Stream<Path> files = Files.list(FOLDERS)) {
            return files.sorted().toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("folders")
    void whatAnEarlierServerStoredIsThere(Path archive) throws Exception {
        Path data = temporary.resolve("data");
        Files.createDirectories(data);
        int unpacked = new ProcessBuilder(
                        "tar", "-xzf", archive.toAbsolutePath().toString(), "-C", data.toString())
                .inheritIO()
                .start()
                .waitFor();
        assertThat(unpacked).isZero();
        // on the day after: offsets of a group expire a week later
        ServerClock clock = ServerClock.in(temporary.resolve("clock"));
        clock.set(sinceThen(archive).negated());
        try (SluiceServer server = SluiceServer.start(data, StoredData.SETTINGS, clock.environment())) {
            check(server, day(archive));
            server.stop();
            SluiceServer.Outcome verified = server.run("verify-data");
            assertThat(verified.exitCode()).as(verified.output()).isZero();
            server.start();
            check(server, day(archive));
        }
    }

    private static void check(SluiceServer server, LocalDate stored) throws Exception {
        new StoredData(server).check();
        if (!stored.isBefore(TRANSACTIONS)) {
            new StoredTransactions(server).check();
            new StoredTopics(server).check();
        }
    }

    /** How long ago the day after the folder's was. */
    private static Duration sinceThen(Path archive) {
        return Duration.between(day(archive).plusDays(1).atStartOfDay().toInstant(ZoneOffset.UTC), Instant.now());
    }

    private static LocalDate day(Path archive) {
        return LocalDate.parse(archive.getFileName().toString().replace(".tar.gz", ""));
    }
}
