package io.sluice.perf.peer;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** How every peer's JVM is started: on the JDK of this process, with one heap size and one collector, warnings to its log. */
final class PeerJvm {
    /** Libraries that are older than the JDK look into it. */
    private static final List<String> OPENED = List.of(
            "java.base/java.lang",
            "java.base/java.io",
            "java.base/java.nio",
            "java.base/java.util",
            "java.base/sun.net",
            "java.base/sun.nio.ch",
            "java.base/jdk.internal.misc",
            "java.management/sun.management");

    private final Artifacts artifacts;
    private final ServerSetup setup;

    PeerJvm(Artifacts artifacts, ServerSetup setup) {
        this.artifacts = artifacts;
        this.setup = setup;
    }

    /** Flags that differ from a plain {@code java}, for the record. */
    private List<String> memoryFlags() {
        return List.of(
                "-Xmx" + setup.memoryMebibytes() + "m",
                "-XX:MaxDirectMemorySize=" + setup.memoryMebibytes() + "m",
                "-XX:+UseG1GC");
    }

    /**
     * A command line.
     *
     * @param properties system properties
     * @param main class, or source file, and its arguments
     */
    List<String> command(Path folder, Map<String, String> properties, String... main) throws PeerException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(memoryFlags());
        command.add("--enable-native-access=ALL-UNNAMED");
        command.add("--sun-misc-unsafe-memory-access=allow");
        OPENED.forEach(opened -> command.add("--add-opens=" + opened + "=ALL-UNNAMED"));
        command.add("-Djava.net.preferIPv4Stack=true");
        command.add("-Djava.io.tmpdir=" + folder);
        command.add("-Dlog4j2.configurationFile=" + artifacts.file("log4j2.xml"));
        command.add("-Dlogback.configurationFile=" + artifacts.file("logback.xml"));
        properties.forEach((key, value) -> command.add("-D" + key + "=" + value));
        command.addAll(List.of("-cp", artifacts.classPath()));
        Stream.of(main).forEach(command::add);
        return List.copyOf(setup.onCores(command));
    }

    Map<String, String> settings() {
        return Map.of(
                "jdk", Runtime.version().toString(),
                "jvm", String.join(" ", memoryFlags()),
                "cores", setup.coresText());
    }
}
