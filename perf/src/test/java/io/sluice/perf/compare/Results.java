package io.sluice.perf.compare;

import io.sluice.perf.result.MachineUse;
import io.sluice.perf.result.RunResult;
import io.sluice.perf.result.RunResult.Figures;
import io.sluice.perf.result.RunResult.Latency;
import io.sluice.perf.result.RunResult.Machine;
import io.sluice.perf.result.RunResult.Subject;
import io.sluice.perf.result.Warmth;
import io.sluice.perf.workload.Workload;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Results with the figures that comparisons look at. */
public final class Results {
    public static final Machine MACHINE = new Machine("test", 2, 1L << 34, "Linux", "25");
    private static final double NONE = Double.NaN;

    private Results() {}

    /**
     * Of one turn over the Kafka protocol.
     *
     * @param perSecond published
     * @param p99 of publish, in ms
     * @param cpuPerGB core-seconds
     */
    public static RunResult of(
            String system, int round, Workload workload, double perSecond, double p99, double cpuPerGB) {
        return of(system, round, workload, perSecond, p99, cpuPerGB, NONE);
    }

    /** @param read over all subscriptions, per second */
    static RunResult of(
            String system, int round, Workload workload, double perSecond, double p99, double cpuPerGB, double read) {
        var latency = new Latency(1, p99, p99, p99, p99, p99, List.of());
        return result(
                system,
                "kafka",
                "suite",
                round,
                workload,
                new Figures(
                        perSecond,
                        NONE,
                        read,
                        latency,
                        latency,
                        NONE,
                        NONE,
                        NONE,
                        cpuPerGB,
                        -1,
                        -1,
                        NONE,
                        0,
                        MachineUse.UNKNOWN),
                null);
    }

    static RunResult failed(Turn turn, String why) {
        var nothing = new Latency(0, NONE, NONE, NONE, NONE, NONE, List.of());
        return result(
                turn.entrant().contender().name(),
                turn.entrant().protocol(),
                turn.suite(),
                turn.round(),
                turn.workload(),
                new Figures(
                        NONE,
                        NONE,
                        NONE,
                        nothing,
                        nothing,
                        NONE,
                        NONE,
                        NONE,
                        NONE,
                        -1,
                        -1,
                        NONE,
                        -1,
                        MachineUse.UNKNOWN),
                why);
    }

    private static RunResult result(
            String system,
            String protocol,
            String suite,
            int round,
            Workload workload,
            Figures figures,
            @Nullable String failure) {
        return new RunResult(
                suite,
                round,
                Instant.EPOCH.plusSeconds(round),
                MACHINE,
                "0000000",
                new Subject(system, protocol, "1", Map.of()),
                workload,
                new Warmth(60, 1_000_000),
                figures,
                List.of(),
                failure);
    }
}
