package io.sluice.perf.result;

import io.sluice.perf.workload.Workload;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One workload driven once against one system.
 *
 * @param suite the suite or sweep it belongs to, or the workload's own name
 * @param round from 1; rounds repeat the same workload against the same system
 * @param commit of Sluice when it ran
 * @param warmth before the measured time; results of earlier builds do not say and count as cold
 * @param series one element per second of the measured time, drained backlog included
 * @param failure why it has no (full) figures, in one line; null when it went through
 */
public record RunResult(
        String suite,
        int round,
        Instant started,
        Machine machine,
        String commit,
        Subject subject,
        Workload workload,
        Warmth warmth,
        Figures figures,
        List<Second> series,
        @Nullable String failure) {

    public RunResult {
        warmth = Objects.requireNonNullElse(warmth, Warmth.NONE);
    }

    /**
     * Records per second that were both acknowledged and read by every subscription: the lower of the two, for what piles up unread is
     * not carried. With a backlog, or without readers, those acknowledged.
     */
    public double sustainedPerSecond() {
        int subscriptions = workload.subscriptionsPerTopic();
        double read = figures.consumedPerSecond() / subscriptions;
        boolean counts = subscriptions > 0 && workload.consumerBacklogSizeGB() == 0 && !Double.isNaN(read);
        return counts ? Math.min(figures.publishedPerSecond(), read) : figures.publishedPerSecond();
    }

    /** The same of a server that had been under more load before. */
    public RunResult warmedBy(Warmth before) {
        return new RunResult(
                suite,
                round,
                started,
                machine,
                commit,
                subject,
                workload,
                warmth.plus(before),
                figures,
                series,
                failure);
    }

    /** Warmth of the server after this run. */
    public Warmth warmthAfter() {
        return warmth.plus(new Warmth(series.size(), figures.publish().count()));
    }

    /** Where it ran. */
    public record Machine(String cpu, int cores, long memoryBytes, String os, String jdk) {}

    /**
     * The system under load.
     *
     * @param name as on the command line: sluice, kafka, kafka-flush, pulsar, pravega, or what the user calls a target
     * @param protocol whose stock client drove it: kafka, pulsar or pravega
     * @param version of the server, empty if not known
     * @param settings what matters to read the figures: heap, flags, journal sync, client batching
     */
    public record Subject(String name, String protocol, String version, Map<String, String> settings) {}

    /**
     * Over the measured time. What could not be measured (a server on another machine) is NaN or -1.
     *
     * @param publishedPerSecond acknowledged records per second
     * @param consumedPerSecond records per second over all subscriptions
     * @param publish from when a record was due (not when it was sent) until its acknowledgement
     * @param endToEnd from when it was due until a consumer has it
     * @param backlogDrainSeconds from the consumers' start until they have caught up; NaN without a backlog
     * @param backlogReadPerSecond records per second meanwhile, per subscription; NaN without a backlog
     * @param serverCpuSeconds user and system time of the server process
     * @param serverCpuSecondsPerGB the same per 10^9 payload bytes acknowledged and read by every subscription; with a backlog, read
     * @param serverDiskWriteBytes what the server process made the disk write
     * @param failedPublishes records whose publish failed
     * @param use of the machine; results of earlier builds do not say
     */
    public record Figures(
            double publishedPerSecond,
            double publishedMBPerSecond,
            double consumedPerSecond,
            Latency publish,
            Latency endToEnd,
            double backlogDrainSeconds,
            double backlogReadPerSecond,
            double serverCpuSeconds,
            double serverCpuSecondsPerGB,
            long serverMaxResidentBytes,
            long serverDiskWriteBytes,
            double clientCpuSeconds,
            long failedPublishes,
            MachineUse use) {
        public Figures {
            use = Objects.requireNonNullElse(use, MachineUse.UNKNOWN);
        }
    }

    /**
     * Milliseconds; all NaN when count is 0.
     *
     * @param curve of rising percentiles, for plots: the histogram's own steps
     */
    public record Latency(
            long count, double p50, double p95, double p99, double p999, double max, List<Percentile> curve) {}

    public record Percentile(double percentile, double millis) {}

    /**
     * One second of the measured time.
     *
     * @param second from 0
     * @param backlog records acknowledged and not yet consumed, over all subscriptions
     * @param serverCores CPU-seconds per second
     */
    public record Second(
            int second,
            long published,
            long consumed,
            long backlog,
            double publishP50,
            double publishP99,
            double publishMax,
            double endToEndP99,
            double serverCores,
            long serverResidentBytes,
            long serverDiskWriteBytes) {}
}
