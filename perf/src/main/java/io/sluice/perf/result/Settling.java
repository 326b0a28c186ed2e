package io.sluice.perf.result;

import java.util.List;

/** Whether a server was still becoming faster while it was measured. */
public final class Settling {
    private static final int LEAST_SECONDS = 4;

    private Settling() {}

    /**
     * The server's CPU per record in the second half of the measured time, relative to the first half: 1 when it was warm, clearly
     * less when code was still being compiled; NaN for fewer than four seconds or a server on another machine.
     */
    public static double of(List<RunResult.Second> series) {
        int half = series.size() / 2;
        return series.size() < LEAST_SECONDS
                ? Double.NaN
                : cpuPerRecord(series.subList(series.size() - half, series.size()))
                        / cpuPerRecord(series.subList(0, half));
    }

    private static double cpuPerRecord(List<RunResult.Second> part) {
        double records = part.stream()
                .mapToDouble(second -> (double) second.published() + second.consumed())
                .sum();
        double cores = part.stream().mapToDouble(RunResult.Second::serverCores).sum();
        return records > 0 && cores > 0 ? cores / records : Double.NaN;
    }
}
