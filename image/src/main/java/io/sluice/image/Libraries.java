package io.sluice.image;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The server's jars without what only other platforms load, and the native libraries unpacked from them, under the names that
 * their loaders look for in {@code java.library.path}.
 */
final class Libraries {
    static final String FOLDER = "opt/sluice/lib";
    static final String NATIVE = "opt/sluice/native";

    private static final Pattern OURS = Pattern.compile("sluice-.*\\.jar");
    private static final Pattern OTHER_PLATFORM = Pattern.compile(".*-(windows|osx|linux)-.*\\.jar");

    /** Native libraries of other platforms make up most of these jars. */
    private static final Pattern NATIVE_LIBRARY = Pattern.compile(".*\\.(so|dll|dylib|jnilib|a)");

    private final Architecture architecture;
    private final List<Unpacked> unpacked;

    /** @param entry of the jar, which has the library under the name {@code file} */
    private record Unpacked(Pattern jar, Pattern entry, String file) {}

    Libraries(Architecture architecture) {
        this.architecture = architecture;
        String java = architecture.java();
        this.unpacked = List.of(
                unpacked("rocksdbjni", "librocksdbjni-" + architecture.rocksDb + "\\.so", "librocksdbjni.so"),
                unpacked("zstd-jni", "linux/" + java + "/(libzstd-jni-.*\\.so)", ""),
                unpacked("snappy-java", "org/xerial/snappy/native/Linux/" + architecture.machine + "/(.+\\.so)", ""),
                unpacked("lz4-java", "net/jpountz/util/linux/" + java + "/(.*\\.so)", ""),
                unpacked("netty-.*-linux-" + architecture.netty(), "META-INF/native/(.*\\.so)", ""));
    }

    private static Unpacked unpacked(String jar, String entry, String file) {
        return new Unpacked(Pattern.compile(jar + "([-.].*)?\\.jar"), Pattern.compile(entry), file);
    }

    void addTo(Root root, Path folder) throws IOException {
        for (Path jar : Root.filesIn(folder)) {
            String name = jar.getFileName().toString();
            String place = FOLDER + "/" + name;
            List<Unpacked> here = unpacked.stream()
                    .filter(each -> each.jar.matcher(name).matches())
                    .toList();
            if (OURS.matcher(name).matches()) {
                root.copy("server", jar, place);
            } else if (!here.isEmpty()) {
                unpack(root, jar, place, here.getFirst());
            } else if (!OTHER_PLATFORM.matcher(name).matches()) {
                root.copy("libraries", jar, place);
            }
        }
    }

    private void unpack(Root root, Path jar, String place, Unpacked library) throws IOException {
        Path to = root.path("libraries", place);
        Files.createDirectories(to.getParent());
        int found = 0;
        try (var from = new JarFile(jar.toFile());
                OutputStream file = Files.newOutputStream(to);
                var copy = new JarOutputStream(file)) {
            for (JarEntry entry : from.stream().toList()) {
                var match = library.entry.matcher(entry.getName());
                if (match.matches()) {
                    String as = library.file.isEmpty() ? match.group(1) : library.file;
                    Path unpackedTo = root.path("libraries", NATIVE + "/" + as);
                    Files.createDirectories(unpackedTo.getParent());
                    Files.copy(from.getInputStream(entry), unpackedTo);
                    root.stamp(unpackedTo);
                    found++;
                } else if (!NATIVE_LIBRARY.matcher(entry.getName()).matches()) {
                    copy(from, entry, copy);
                }
            }
        }
        root.stamp(to);
        if (found == 0) {
            throw new IOException(jar + " has no native library for " + architecture.word());
        }
    }

    private static void copy(JarFile from, JarEntry entry, JarOutputStream to) throws IOException {
        JarEntry same = new JarEntry(entry.getName());
        same.setTime(entry.getTime());
        to.putNextEntry(same);
        from.getInputStream(entry).transferTo(to);
        to.closeEntry();
    }

    /**
     * In a fixed order: an AOT cache is valid for one class path only, though it may lie in another folder.
     *
     * @param home folder in which the image's root is going to be
     */
    static String classPath(Root root, Path home) throws IOException {
        return Stream.of("server", "libraries")
                .flatMap(layer -> jars(root, layer))
                .map(jar -> home.resolve(FOLDER).resolve(jar).toString())
                .sorted()
                .collect(Collectors.joining(":", "-cp\n\"", "\"\n"));
    }

    private static Stream<String> jars(Root root, String layer) {
        try {
            return Root.filesIn(root.path(layer, FOLDER)).stream()
                    .map(jar -> jar.getFileName().toString());
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
