package io.sluice.conformance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A Java client in a process of its own, to be killed and started again; what it prints is kept in a file. */
final class RunningClient implements AutoCloseable {
    private static final Path TARGET = Path.of("target").toAbsolutePath();
    /** Kafka's client and Streams. */
    static final String KAFKA =
            TARGET.resolve("clients/kafka-4.4") + "/*:" + TARGET.resolve("clients/kafka-streams-4.4") + "/*";

    private final Path folder;
    private final String jars;
    private final Class<?> program;
    private final List<String> arguments;
    private final String name;
    private final List<Process> started = new ArrayList<>();

    /** @param folder for what it prints and leaves behind */
    RunningClient(Path folder, String name, Class<?> program, String... arguments) {
        this(KAFKA, folder, name, program, arguments);
    }

    /** @param jars a class path */
    RunningClient(String jars, Path folder, String name, Class<?> program, String... arguments) {
        this.jars = jars;
        this.folder = folder;
        this.name = name;
        this.program = program;
        this.arguments = List.of(arguments);
    }

    void start() {
        List<String> command = BriefJvm.command(
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-Djava.io.tmpdir=" + folder,
                "-cp",
                TARGET.resolve("test-classes") + ":" + jars,
                program.getName());
        command.addAll(arguments);
        try {
            started.add(new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
                    .start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@code kill -9}, then a successor. */
    void killAndStart() {
        kill(started.getLast());
        start();
    }

    /**
     * A second one beside it, of which one is to end by itself: the older one, unless it was just about to begin, too.
     *
     * @return how it ended; the other one is the client from now on
     */
    int replace() throws Exception {
        Process older = started.getLast();
        start();
        Process newer = started.getLast();
        try {
            CompletableFuture.anyOf(older.onExit(), newer.onExit()).get(90, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new AssertionError("two of " + name + " go on beside each other:\n" + output(), e);
        }
        Process ended = older.isAlive() ? newer : older;
        started.remove(ended);
        return ended.exitValue();
    }

    /** SIGTERM, without a successor. */
    void end() throws Exception {
        Process process = started.getLast();
        process.destroy();
        process.onExit().get(60, TimeUnit.SECONDS);
    }

    boolean isAlive() {
        return started.getLast().isAlive();
    }

    private Path log() {
        return folder.resolve(name + ".log");
    }

    String output() {
        try {
            return Files.readString(log());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void kill(Process process) {
        process.destroyForcibly();
        process.onExit()
                .orTimeout(Duration.ofMinutes(1).toMillis(), TimeUnit.MILLISECONDS)
                .join();
    }

    @Override
    public void close() {
        started.forEach(RunningClient::kill);
    }

    @Override
    public String toString() {
        return name;
    }
}
