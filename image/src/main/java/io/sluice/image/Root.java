package io.sluice.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The image's files as they are going to lie in it, one folder per layer. All have one time, which the JVM compares with what
 * its AOT cache was made from.
 */
record Root(Path folder, Instant time) {
    Root {
        try {
            remove(folder);
        } catch (IOException e) {
            throw new IllegalStateException("Cannot remove " + folder, e);
        }
    }

    /** @param inImage path in the image, without the first slash */
    Path path(String layer, String inImage) {
        return folder.resolve(layer).resolve(inImage);
    }

    void copy(String layer, Path from, String inImage) throws IOException {
        Path to = path(layer, inImage);
        Files.createDirectories(to.getParent());
        Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.COPY_ATTRIBUTES);
        stamp(to);
    }

    void copyTree(String layer, Path from) throws IOException {
        for (Path file : filesIn(from)) {
            copy(layer, file, from.relativize(file).toString());
        }
    }

    void write(String layer, String inImage, String text) throws IOException {
        Path to = path(layer, inImage);
        Files.createDirectories(to.getParent());
        stamp(Files.writeString(to, text));
    }

    void stamp(Path file) throws IOException {
        Files.setLastModifiedTime(file, FileTime.from(time));
    }

    /** Regular files, sorted. */
    static List<Path> filesIn(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return List.of();
        }
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(Files::isRegularFile).sorted().toList();
        }
    }

    long bytes(List<String> layers) throws IOException {
        long bytes = 0;
        for (String layer : layers) {
            for (Path file : filesIn(folder.resolve(layer))) {
                bytes += Files.size(file);
            }
        }
        return bytes;
    }

    static void remove(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> all = Files.walk(folder)) {
                for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(each);
                }
            }
        }
    }
}
