package io.sluice.perf.peer;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A server's process. Its output goes to a log file, which outlives it. */
public final class ServerChild implements AutoCloseable {
    private static final Duration READY_WITHIN = Duration.ofSeconds(120);
    private static final Duration GONE_WITHIN = Duration.ofSeconds(30);
    private static final long POLL_MILLIS = 100;

    private final String name;
    private final Process process;
    private final Path log;
    /** Stops the server when the comparison is stopped. */
    private final Thread atExit;

    /** Asked again and again; an exception is a no. */
    interface Probe {
        boolean isReady() throws IOException, InterruptedException;
    }

    private ServerChild(String name, Process process, Path log) {
        this.name = name;
        this.process = process;
        this.log = log;
        this.atExit = new Thread(process::destroy, "stop " + name);
        Runtime.getRuntime().addShutdownHook(atExit);
    }

    /**
     * Starts a process in a folder.
     *
     * @param environment in addition to this process's own
     * @param log is overwritten
     */
    static ServerChild start(String name, List<String> command, Map<String, String> environment, Path folder, Path log)
            throws PeerException {
        var builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        builder.environment().putAll(environment);
        try {
            return new ServerChild(name, builder.start(), log);
        } catch (IOException e) {
            throw new PeerException("cannot start " + name + ": " + e.getMessage(), e);
        }
    }

    long pid() {
        return process.pid();
    }

    /** Waits for a server, not for ever; when it does not come up, it is stopped. */
    void awaitReady(Probe probe) throws PeerException, InterruptedException {
        long deadline = System.nanoTime() + READY_WITHIN.toNanos();
        while (!answers(probe)) {
            if (process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
                throw new PeerException(
                        name + " stopped while it started, with code " + process.exitValue() + lastWords());
            }
            if (System.nanoTime() > deadline) {
                close();
                throw new PeerException(name + " is not ready after " + READY_WITHIN.toSeconds() + " s" + lastWords());
            }
        }
    }

    /** Waits until it ends by itself, for what runs once before a server. */
    void awaitSuccess(Duration within) throws PeerException, InterruptedException {
        if (!process.waitFor(within.toSeconds(), TimeUnit.SECONDS)) {
            close();
            throw new PeerException(name + " takes more than " + within.toSeconds() + " s" + lastWords());
        }
        if (process.exitValue() != 0) {
            throw new PeerException(name + " failed with code " + process.exitValue() + lastWords());
        }
    }

    private static boolean answers(Probe probe) throws InterruptedException {
        try {
            return probe.isReady();
        } catch (IOException e) {
            return false;
        }
    }

    /** Whether something listens on a loopback port. */
    static boolean accepts(int port) throws IOException {
        try (var socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
            return true;
        }
    }

    private String lastWords() {
        try (Stream<String> lines = Files.lines(log, StandardCharsets.ISO_8859_1)) {
            String last = lines.filter(line -> !line.isBlank() && !line.startsWith("\tat "))
                    .reduce("", (earlier, later) -> later);
            return "; its log " + log + " ends with: " + last;
        } catch (IOException e) {
            return "; it has no log";
        }
    }

    /** SIGTERM, and SIGKILL to what stays. */
    @Override
    public void close() {
        process.destroy();
        forgetAtExit();
        boolean interrupted = false;
        try {
            if (process.waitFor(GONE_WITHIN.toSeconds(), TimeUnit.SECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            interrupted = true;
        }
        process.destroyForcibly();
        if (interrupted) {
            Thread.currentThread().interrupt();
        } else {
            process.onExit().join();
        }
    }

    private void forgetAtExit() {
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException alreadyExiting) {
            // Then it runs, which does no harm.
        }
    }
}
