package io.sluice.perf.machine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * CPU time of all cores of this machine since it started, in clock ticks; all 0 where that cannot be known.
 *
 * @param idle waiting for the disk included
 * @param steal what the host gave to others
 * @param all of these and the busy ones
 */
public record MachineCpu(long idle, long steal, long all) {
    private static final int IDLE = 3;
    private static final int IO_WAIT = 4;
    private static final int STEAL = 7;
    private static final int FIELDS = 8;

    public static MachineCpu now() {
        try {
            return of(Files.readString(Path.of("/proc/stat")));
        } catch (IOException unknown) {
            return new MachineCpu(0, 0, 0);
        }
    }

    /** @param stat its first line begins with "cpu": user, nice, system, idle, iowait, irq, softirq, steal, and parts of these */
    static MachineCpu of(String stat) {
        String first = stat.lines().findFirst().orElse("");
        if (!first.startsWith("cpu ")) {
            return new MachineCpu(0, 0, 0);
        }
        long[] ticks = Arrays.stream(first.substring(3).strip().split("\\s+"))
                .limit(FIELDS)
                .mapToLong(Long::parseLong)
                .toArray();
        return ticks.length < FIELDS
                ? new MachineCpu(0, 0, 0)
                : new MachineCpu(
                        ticks[IDLE] + ticks[IO_WAIT],
                        ticks[STEAL],
                        Arrays.stream(ticks).sum());
    }

    /** Share of all cores' time since then, NaN if not known. */
    public double idleSince(MachineCpu before) {
        return share(idle - before.idle, before);
    }

    /** Likewise. */
    public double stealSince(MachineCpu before) {
        return share(steal - before.steal, before);
    }

    private double share(long ticks, MachineCpu before) {
        return all > before.all ? (double) ticks / (all - before.all) : Double.NaN;
    }
}
