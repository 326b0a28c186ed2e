package io.sluice.server.containers;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A {@link TestNode} in a process of its own, over a store that others use too. */
final class OwnerProcess implements AutoCloseable {
    static final Duration LEASE = Duration.ofSeconds(4);

    private final Process process;
    private final LinkedBlockingQueue<String> lines = new LinkedBlockingQueue<>();

    private OwnerProcess(Process process) {
        this.process = process;
        Thread.ofVirtual().start(this::follow);
    }

    /** The program: says "standing by", then what happens, and the port of Kafka when it has served for the first time. */
    public static void main(String[] arguments) throws Exception {
        SharedStore shared = SharedStore.connect(arguments[1], Path.of(arguments[2]));
        TestNode node = new TestNode(arguments[0], shared, LEASE);
        System.out.println("standing by");
        while (!node.nextEvent().equals("serving")) {}
        System.out.println("serving");
        System.out.println(node.kafka(node.broker()));
        while (true) {
            String event = node.nextEvent();
            if (!event.equals("nothing")) {
                System.out.println(event);
            }
        }
    }

    static OwnerProcess start(String id, String metadataUrl, Path tier) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElseThrow());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(flag ->
                        Stream.of("--", "-Dio.netty", "-Djava.net", "-XX:").anyMatch(flag::startsWith))
                .forEach(command::add);
        command.addAll(List.of("-Xmx256m", "-cp", System.getProperty("java.class.path"), OwnerProcess.class.getName()));
        command.addAll(List.of(id, metadataUrl, tier.toString()));
        Path log = Path.of("target", "owner-" + id + ".log");
        return new OwnerProcess(new ProcessBuilder(command)
                .redirectError(Redirect.appendTo(log.toFile()))
                .start());
    }

    private void follow() {
        try (BufferedReader reader = process.inputReader()) {
            reader.lines().forEach(lines::add);
        } catch (IOException | UncheckedIOException e) {
            lines.add(e.toString());
        }
    }

    /** What the process says next; waits as long as a take-over may take on a busy machine. */
    String next() throws InterruptedException {
        String line = lines.poll(60, TimeUnit.SECONDS);
        return line == null ? "nothing" : line;
    }

    /** SIGSTOP: no thread of it runs, its connections stay open. */
    void pause() throws Exception {
        signal("STOP");
    }

    /** SIGCONT. */
    void resume() throws Exception {
        signal("CONT");
    }

    private void signal(String name) throws Exception {
        int status = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .start()
                .waitFor();
        if (status != 0) {
            throw new IOException("kill -" + name + " ended with " + status);
        }
    }

    /** SIGKILL. */
    @Override
    public void close() throws InterruptedException {
        process.toHandle().destroyForcibly();
        process.waitFor(30, TimeUnit.SECONDS);
    }
}
