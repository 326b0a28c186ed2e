package io.sluice.conformance;

import io.sluice.conformance.clients.CrashLoad;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.File;
import java.io.FileWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The other side of {@link ApplicationProgram}, and of programs in other languages that take the same orders: it can be killed and
 * started again. What it had not been answered then is sent again where the server drops what it has already, and else may have been
 * written or not.
 */
final class ApplicationProcess implements AutoCloseable {
    private static final int START_SECONDS = 120;

    static final String PYTHON = "python";
    static final String GO = "go";
    /** Groups of their own. */
    static final String PYTHON_GROUP = "librdkafka";

    static final String GO_GROUP = "franz";

    private final List<String> command;
    private final Path errors;
    /** All its lines: the only witness of a failure. */
    private final Path said;

    private final Application.Books books;
    private final Map<String, NavigableSet<Long>> unanswered = new ConcurrentHashMap<>();
    private Process process;
    private BufferedWriter orders;
    private Thread following;

    /**
     * @param folder takes what it says of itself
     * @param command starts it
     */
    private ApplicationProcess(String name, Path folder, Application.Books books, List<String> command)
            throws Exception {
        this.books = books;
        this.errors = folder.resolve("application-" + name + ".txt");
        this.said = folder.resolve("application-" + name + "-said.txt");
        this.command = command;
        launch();
    }

    /** Java's clients. */
    static ApplicationProcess java(SluiceServer server, int id, Path folder, Application.Books books) throws Exception {
        List<String> command = BriefJvm.command(
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-Dio.netty.leakDetection.level=disabled",
                "-cp",
                classPath(),
                ApplicationProgram.class.getName(),
                Integer.toString(id),
                server.kafka(),
                server.pulsar());
        return new ApplicationProcess(Integer.toString(id), folder, books, command);
    }

    /** librdkafka, by Python. */
    static ApplicationProcess python(SluiceServer server, Path folder, Application.Books books) throws Exception {
        List<String> command = ClientProgram.pythonCommand("application.py", PYTHON, server.kafka());
        return new ApplicationProcess(PYTHON, folder, books, command);
    }

    /** franz-go. */
    static ApplicationProcess go(SluiceServer server, Path folder, Application.Books books) throws Exception {
        List<String> command = ClientProgram.goCommand("application", GO, server.kafka());
        return new ApplicationProcess(GO, folder, books, command);
    }

    private static String classPath() throws IOException {
        return String.join(
                File.pathSeparator,
                Path.of("target/test-classes").toAbsolutePath().toString(),
                CrashLoad.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .getPath(),
                ClientProgram.pulsar5Jars(),
                ClientProgram.jars("kafka-4.4"));
    }

    private void launch() throws Exception {
        process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(errors.toFile()))
                .start();
        orders = process.outputWriter();
        var ready = new CompletableFuture<Void>();
        BufferedReader lines = process.inputReader();
        // who waits at a process's pipe keeps the carrier of a virtual thread, and there are as many as processors
        following = Thread.ofPlatform().daemon().name("application").start(() -> follow(lines, ready));
        try {
            ready.get(START_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            end();
            throw e;
        }
    }

    private void follow(BufferedReader lines, CompletableFuture<Void> ready) {
        try (var witness = new PrintWriter(new FileWriter(said.toFile(), StandardCharsets.UTF_8, true))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                witness.println(line);
                if (line.endsWith(ApplicationProgram.END)) {
                    told(line.substring(0, line.length() - ApplicationProgram.END.length()), ready);
                }
            }
        } catch (IOException e) {
            books.wrong("an application is not heard of any more: " + e);
        }
        ready.completeExceptionally(new IOException("the application ended, see " + errors));
    }

    private void told(String line, CompletableFuture<Void> ready) {
        String[] words = line.split(" ");
        switch (words[0]) {
            case ApplicationProgram.READY -> ready.complete(null);
            case ApplicationProgram.ACKNOWLEDGED -> {
                long number = Long.parseLong(words[2]);
                of(words[1]).remove(number);
                books.acknowledged(words[1], number, words[3]);
            }
            case ApplicationProgram.UNKNOWN -> {
                long number = Long.parseLong(words[2]);
                of(words[1]).remove(number);
                books.unknown(words[1], number);
            }
            case ApplicationProgram.RECEIVED ->
                books.received(new Application.Receipt(
                        words[1], words[2], Long.parseLong(words[3]), Long.parseLong(words[4])));
            default -> books.wrong(line);
        }
    }

    private NavigableSet<Long> of(String load) {
        return unanswered.computeIfAbsent(load, _ -> new ConcurrentSkipListSet<>());
    }

    /** Waits while it is started again. */
    synchronized void send(String load, long number) {
        of(load).add(number);
        order(ApplicationProgram.SEND + " " + load + " " + number);
    }

    synchronized void audit() {
        order(ApplicationProgram.START_AUDIT);
    }

    private void order(String line) {
        try {
            orders.write(line + "\n");
            orders.flush();
        } catch (IOException e) {
            books.wrong("an application takes no orders any more: " + e);
        }
    }

    /** {@code kill -9}, and a new one of the same name. */
    synchronized void killAndStart() throws Exception {
        end();
        launch();
        unanswered.forEach((load, numbers) -> {
            for (long number : List.copyOf(numbers)) {
                if (load.startsWith(PulsarPart.NAMED)) {
                    order(ApplicationProgram.SEND + " " + load + " " + number);
                } else {
                    numbers.remove(number);
                    books.refused(load, number, new CrashLoad.ClientDied());
                }
            }
        });
    }

    /** All that it has told is in the books then. */
    private void end() throws InterruptedException {
        // Not the process's own method, which also closes what it has said.
        process.toHandle().destroyForcibly();
        process.waitFor();
        following.join();
    }

    @Override
    public synchronized void close() throws Exception {
        orders.close();
        if (!process.waitFor(30, TimeUnit.SECONDS)) {
            books.wrong("an application did not end by itself");
        }
        end();
    }
}
