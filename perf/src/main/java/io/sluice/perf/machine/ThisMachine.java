package io.sluice.perf.machine;

import com.sun.management.OperatingSystemMXBean;
import io.sluice.perf.peer.Checkout;
import io.sluice.perf.peer.PeerException;
import io.sluice.perf.result.RunResult;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Describes where this process runs. */
public final class ThisMachine {
    private static final OperatingSystemMXBean SYSTEM =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    private ThisMachine() {}

    public static RunResult.Machine describe() {
        return new RunResult.Machine(
                cpu(),
                SYSTEM.getAvailableProcessors(),
                SYSTEM.getTotalMemorySize(),
                SYSTEM.getName() + " " + SYSTEM.getVersion(),
                Runtime.version().toString());
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

    /** CPU time this process, which is the load, has used so far. */
    public static double cpuSeconds() {
        return SYSTEM.getProcessCpuTime() / 1e9;
    }

    /** Of the checkout that perf was built in; empty outside of one. */
    public static String commit() {
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
