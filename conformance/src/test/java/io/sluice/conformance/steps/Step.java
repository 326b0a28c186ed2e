package io.sluice.conformance.steps;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;

/**
 * Where a process may be halted: before or after a method of the server's.
 *
 * @param type the class, as the JVM names it
 * @param often how many times it may be let through first at most, so that it still comes soon
 */
public record Step(String name, String type, String method, int often) {
    private static final File ROOT = new File("..");

    /** Looks through the classes of all modules: the names are text here, which no compiler checks. */
    public boolean isInServer() {
        return Arrays.stream(Objects.requireNonNull(ROOT.listFiles()))
                .map(module -> module.toPath().resolve("target/classes").resolve(type + ".class"))
                .filter(Files::exists)
                .anyMatch(this::isIn);
    }

    private boolean isIn(Path file) {
        try {
            return ClassFile.of().parse(file).methods().stream()
                    .anyMatch(each -> each.methodName().equalsString(method));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
