package io.sluice.server.docs;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;

/** Files of the repository, as the tests of its documents read them. */
final class Repository {
    private static final Path ROOT = Path.of("..", "..").toAbsolutePath().normalize();

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
        return files("pom.xml");
    }

    /** Files whose path ends with {@code ending}, but for what is built and for hidden folders; their paths are absolute. */
    static List<Path> files(String ending) throws IOException {
        List<Path> found = new ArrayList<>();
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                String name = folder.getFileName().toString();
                boolean skipped =
                        !folder.equals(ROOT) && (name.startsWith(".") || name.equals("target") || name.equals("data"));
                return skipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (file.toString().endsWith(ending)) {
                    found.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        found.sort(null);
        return found;
    }
}
