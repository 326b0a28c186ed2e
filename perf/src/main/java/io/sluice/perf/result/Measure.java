package io.sluice.perf.result;

import io.sluice.perf.result.RunResult.Figures;
import io.sluice.perf.workload.Workload;

/** Figures that are compared. The value of a result is NaN where it was not measured. */
public enum Measure {
    THROUGHPUT("Throughput", "records/s", true),
    PUBLISH_P99("Publish p99", "ms", false),
    END_TO_END_P99("End-to-end p99", "ms", false),
    CPU_PER_GB("Server CPU", "core·s/GB", false),
    DISK_PER_BYTE("Disk", "bytes written per byte", false),
    BACKLOG_DRAIN("Backlog drain", "s", false),
    READ("Read by all", "records/s", true);

    private static final double KEPT_UP = 0.95;

    private final String title;
    private final String unit;
    private final boolean higherIsBetter;

    Measure(String title, String unit, boolean higherIsBetter) {
        this.title = title;
        this.unit = unit;
        this.higherIsBetter = higherIsBetter;
    }

    public String title() {
        return title;
    }

    /** Unit of {@link #of}. */
    public String unit() {
        return unit;
    }

    public boolean higherIsBetter() {
        return higherIsBetter;
    }

    /** Whether so many records per second are what was due, but for noise. */
    public static boolean keptUp(double achieved, double due) {
        return achieved >= KEPT_UP * due;
    }

    /** Sluice ÷ a peer that failed, as if it had done nothing, for ever: infinite where more is better, else 0. */
    double ratioToFailed() {
        return higherIsBetter ? Double.POSITIVE_INFINITY : 0;
    }

    private static boolean onlyBacklog(Workload workload) {
        return workload.consumerBacklogSizeGB() > 0 && workload.tailSubscriptions() == 0;
    }

    /** At the tail: what the readers of a backlog do is its drain. */
    private static boolean hasSeveralReaders(Workload workload) {
        return workload.consumerBacklogSizeGB() == 0
                && workload.subscriptionsPerTopic() * workload.consumerPerSubscription() > 1;
    }

    /** A figure above 0, or NaN. */
    public double of(RunResult result) {
        Figures figures = result.figures();
        double value = switch (this) {
            case THROUGHPUT -> result.sustainedPerSecond();
            case PUBLISH_P99 -> figures.publish().p99();
            // of a backlog alone it is how long that lay there
            case END_TO_END_P99 ->
                onlyBacklog(result.workload()) ? Double.NaN : figures.endToEnd().p99();
            case CPU_PER_GB -> figures.serverCpuSecondsPerGB();
            case DISK_PER_BYTE ->
                figures.serverDiskWriteBytes()
                        / ((double) figures.publish().count()
                                * result.workload().messageSize());
            case BACKLOG_DRAIN -> figures.backlogDrainSeconds();
            case READ -> hasSeveralReaders(result.workload()) ? figures.consumedPerSecond() : Double.NaN;
        };
        return value > 0 && Double.isFinite(value) ? value : Double.NaN;
    }
}
