package io.sluice.image;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * System files of an image without a base image: a shell, and the shared libraries of this machine that the shell, the
 * Java runtime and the native libraries name, in the folders where this machine's loader looks for them.
 */
final class SystemFiles {
    /** Busybox brings all that a look inside wants, in one file without libraries. */
    private static final List<Path> SHELLS =
            List.of(Path.of("/bin/busybox"), Path.of("/usr/bin/busybox"), Path.of("/bin/sh"));

    /** {@code libm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x...)}, or the loader's own path. */
    private static final Pattern NEEDED = Pattern.compile("\\s*(?:\\S+ => )?(/\\S+) \\(0x\\p{XDigit}+\\)");

    private SystemFiles() {}

    static void addTo(Root root, Path etc) throws IOException, InterruptedException {
        root.copyTree("system", etc);
        Path shell = SHELLS.stream().filter(Files::isExecutable).findFirst().orElseThrow();
        root.copy("system", shell.toRealPath(), "bin/sh");
        Set<Path> programs = new TreeSet<>(Set.of(shell.toRealPath()));
        for (Path folder : List.of(root.path("java", JavaRuntime.HOME), root.path("libraries", Libraries.NATIVE))) {
            Root.filesIn(folder).stream().filter(SystemFiles::isProgram).forEach(programs::add);
        }
        for (Path library : needed(programs, root.path("java", JavaRuntime.HOME).resolve("lib/server"))) {
            if (!library.startsWith(root.folder())) {
                root.copy("system", library.toRealPath(), library.toString().substring(1));
            }
        }
    }

    private static boolean isProgram(Path file) {
        return file.toString().endsWith(".so") || file.endsWith("bin/java");
    }

    private static Set<Path> needed(Set<Path> programs, Path jvm) throws IOException, InterruptedException {
        List<String> command = Stream.concat(Stream.of("ldd"), programs.stream().map(Path::toString))
                .toList();
        // Of a program without shared libraries it says so, and exits with 1.
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("LD_LIBRARY_PATH", jvm.toString());
        Process ldd = builder.start();
        String said = new String(ldd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        ldd.waitFor();
        if (said.contains("not found")) {
            throw new IOException("A library is missing on this machine:\n" + said);
        }
        Set<Path> needed = new TreeSet<>();
        said.lines().map(NEEDED::matcher).filter(Matcher::matches).forEach(line -> needed.add(Path.of(line.group(1))));
        return needed;
    }
}
