package io.sluice.perf.machine;

import com.sun.management.OperatingSystemMXBean;
import io.sluice.perf.peer.Checkout;
import io.sluice.perf.peer.PeerException;
import io.sluice.perf.result.RunResult;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Describes where this process runs. */
public final class ThisMachine {
    private static final OperatingSystemMXBean SYSTEM =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private ThisMachine() {}

    public static RunResult.Machine describe() {
        int cores = cores();
        int ours = SYSTEM.getAvailableProcessors();
        // what is measured with some of the cores is not to be compared with what is measured with all
        String pinned = ours < cores ? ", clients on " + ours + " of " + cores + " cores" : "";
        return new RunResult.Machine(
                cpu() + pinned,
                cores,
                memoryBytes(),
                SYSTEM.getName() + " " + SYSTEM.getVersion(),
                Runtime.version().toString());
    }

    /** All of the machine's, whatever this process may use. */
    private static int cores() {
        try {
            long counted = Files.readString(Path.of("/proc/stat"))
                    .lines()
                    .filter(line -> line.matches("cpu\\d.*"))
                    .count();
            return Math.max((int) counted, SYSTEM.getAvailableProcessors());
        } catch (IOException unknown) {
            return SYSTEM.getAvailableProcessors();
        }
    }

    private static String cpu() {
        try {
            return Files.readString(Path.of("/proc/cpuinfo"))
                    .lines()
                    .filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse(SYSTEM.getArch());
        } catch (IOException unknown) {
            return SYSTEM.getArch();
        }
    }

    public static long memoryBytes() {
        return SYSTEM.getTotalMemorySize();
    }

    /** CPU time this process, which is the load, has used so far. */
    public static double cpuSeconds() {
        return SYSTEM.getProcessCpuTime() / 1e9;
    }

    /** CPU time of each thread of this process that runs Java, by the thread's id. */
    public static Map<Long, Long> threadNanos() {
        Map<Long, Long> nanos = new HashMap<>();
        for (long id : THREADS.getAllThreadIds()) {
            nanos.put(id, THREADS.getThreadCpuTime(id));
        }
        return nanos;
    }

    /** Commit of the checkout that perf was built in, as it was when first asked; empty outside of one. */
    public static String commit() {
        return Commit.TEXT;
    }

    /** All results of a run have one commit, though the checkout may move on meanwhile. */
    private static final class Commit {
        static final String TEXT = read();
    }

    private static String read() {
        try {
            Process git = new ProcessBuilder("git", "describe", "--always", "--dirty", "--abbrev=10")
                    .directory(Checkout.find().home().toFile())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String said = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return git.waitFor() == 0 ? said : "";
        } catch (IOException | PeerException none) {
            return "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }
}
