package io.sluice.server.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Files of the repository, as the tests of its documents read them. */
final class Repository {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private Repository() {}

    /** The file's text; {@code name} is relative to the repository's root. */
    static String read(String name) throws IOException {
        return Files.readString(ROOT.resolve(name));
    }

    static List<String> lines(String name) throws IOException {
        return Files.readAllLines(ROOT.resolve(name));
    }

    static Path path(String name) {
        return ROOT.resolve(name);
    }

    /** {@code pom.xml} of every module, and of the whole. */
    static List<Path> poms() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT, 3)) {
            return files.filter(
                            file -> file.endsWith("pom.xml") && !file.toString().contains("/target/"))
                    .sorted()
                    .toList();
        }
    }
}
