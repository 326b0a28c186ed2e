package io.sluice.perf.peer;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A server that is ready for its clients.
 *
 * @param targets what to connect to, by protocol
 * @param version as published
 * @param settings what matters to read its figures
 */
public record RunningServer(
        ServerChild child, Path folder, Map<String, String> targets, String version, Map<String, String> settings)
        implements AutoCloseable {
    public long pid() {
        return child.pid();
    }

    /** What its stock clients of a protocol connect to. */
    public String target(String protocol) {
        String target = targets.get(protocol);
        if (target == null) {
            throw new IllegalArgumentException("it speaks " + targets.keySet() + ", not " + protocol);
        }
        return target;
    }

    /** Stops it, by force if it does not go, and deletes its folder. */
    @Override
    public void close() throws IOException {
        child.close();
        delete(folder);
    }

    static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure)
                    throws IOException {
                if (failure != null) {
                    throw failure;
                }
                Files.delete(directory);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
