package io.sluice.perf.machine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Resources used by a server on this machine, from {@code /proc}. Unknown values, since there is no such process, is NaN or -1.
 *
 * @param pid 0 for a server on another machine
 */
public record ServerProcess(long pid) {
    private static final double TICKS_PER_SECOND = 100;

    /** User and system time so far, in core-seconds. */
    public double cpuSeconds() {
        String stat = read("stat");
        if (stat.isEmpty()) {
            return Double.NaN;
        }
        // The command, in parentheses, may hold blanks: fields count from behind it.
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / TICKS_PER_SECOND;
    }

    /** Memory held now. */
    public long residentBytes() {
        long kibibytes = number(read("status"), "VmRSS:");
        return kibibytes < 0 ? -1 : kibibytes * 1024;
    }

    /** Bytes that it made the disk write so far. */
    public long diskWriteBytes() {
        return number(read("io"), "write_bytes:");
    }

    private static long number(String lines, String name) {
        return lines.lines()
                .filter(line -> line.startsWith(name))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst()
                .orElse(-1);
    }

    private String read(String file) {
        try {
            return pid <= 0 ? "" : Files.readString(Path.of("/proc", Long.toString(pid), file));
        } catch (IOException gone) {
            return "";
        }
    }
}
