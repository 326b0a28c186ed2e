package io.sluice.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Makes the AOT cache: the image's own runtime runs its own jars with its own flags, from the folder they are built in. The
 * JVM takes the cache elsewhere, too, if size, time and order of the jars are the same. With {@code SLUICE_TRIAL=brief} it is made for tests,
 * which need the classes alone, without the second compiler.
 */
final class TrialRun {
    private TrialRun() {}

    static void makeAotCache(Root root) throws IOException, InterruptedException {
        Path lying = assembled(root);
        Path home = lying.resolve("opt/sluice");
        Path aot = root.path("aot", "opt/sluice/sluice.aot");
        Files.createDirectories(aot.getParent());
        Path classPath = Files.writeString(root.folder().resolve("classpath"), Libraries.classPath(root, lying));
        Path log = root.folder().resolveSibling("trial.log");
        Process trial = new ProcessBuilder("/bin/sh", "-c", """
                        . "$0/bin/memory.sh"
                        exec "$0/jre/bin/java" $(memory_flags 1024) "@$0/jvm.args" "@$0/image.args" \
                          ${SLUICE_TRIAL:+-XX:TieredStopAtLevel=1} -Djava.library.path="$0/native" -XX:AOTCacheOutput="$1" "@$2" io.sluice.server.Main train ${SLUICE_TRIAL:+--$SLUICE_TRIAL}
                        """, home.toString(), aot.toString(), classPath.toString())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        if (trial.waitFor() != 0 || !Files.exists(aot)) {
            throw new IOException("The trial run failed, see " + log);
        }
        root.stamp(aot);
    }

    /** All layers in one folder, by hard links, which have one time and size. */
    private static Path assembled(Root root) throws IOException {
        Path whole = root.folder().resolve("whole");
        for (String layer : List.of("java", "libraries", "server")) {
            Path from = root.folder().resolve(layer);
            for (Path file : Root.filesIn(from)) {
                root.stamp(file);
                Path to = whole.resolve(from.relativize(file));
                Files.createDirectories(to.getParent());
                Files.createLink(to, file);
            }
        }
        return whole;
    }
}
