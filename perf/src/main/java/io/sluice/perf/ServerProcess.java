package io.sluice.perf;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What a server on this machine uses, from {@code /proc}. */
record ServerProcess(long pid) {
    private static final double TICKS_PER_SECOND = 100;

    /** User and system time so far, in core-seconds; NaN without a process to look at. */
    double cpuSeconds() {
        if (pid == 0) {
            return Double.NaN;
        }
        // The command, in parentheses, may hold blanks: fields count from behind it.
        String stat = read("stat");
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / TICKS_PER_SECOND;
    }

    /** Resident memory in MiB; NaN without a process to look at. */
    double residentMebibytes() {
        if (pid == 0) {
            return Double.NaN;
        }
        return read("status")
                        .lines()
                        .filter(line -> line.startsWith("VmRSS:"))
                        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                        .sum()
                / 1024.0;
    }

    private String read(String file) {
        try {
            return Files.readString(Path.of("/proc", Long.toString(pid), file));
        } catch (IOException e) {
            throw new UncheckedIOException("no process " + pid, e);
        }
    }
}
