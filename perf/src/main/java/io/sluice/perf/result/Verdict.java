package io.sluice.perf.result;

import io.sluice.perf.workload.Workload;

/** Verdict on a ratio of Sluice to a peer. */
public enum Verdict {
    BETTER("▲", "better"),
    EVEN("≈", "even"),
    WORSE("▼", "worse"),
    /** Decided by the load, not by the systems. */
    UNJUDGED("", "says little under this load"),
    UNPROVEN("", "fewer than three rounds, or not warmed for a minute"),
    UNKNOWN("", "not measured");

    /** Less is noise on a machine that runs more than one process. */
    private static final double NOTABLE = 1.05;

    private final String sign;
    private final String word;

    Verdict(String sign, String word) {
        this.sign = sign;
        this.word = word;
    }

    public String sign() {
        return sign;
    }

    public String word() {
        return word;
    }

    /** Without enough evidence neither is ahead. */
    public Verdict given(Evidence evidence) {
        return (this == BETTER || this == WORSE) && !evidence.isEnough() ? UNPROVEN : this;
    }

    /**
     * At a fixed rate both have that throughput; flat out, latency is the depth of the clients' buffers. A backlog is judged by its
     * drain, and by how long those who publish, or read at the tail, meanwhile wait.
     */
    public static boolean isDecidedBySystem(Measure measure, Workload workload) {
        boolean backlog = workload.consumerBacklogSizeGB() > 0;
        return switch (measure) {
            case THROUGHPUT, READ -> workload.producerRate() == 0 && !backlog;
            case END_TO_END_P99 -> workload.producerRate() > 0 && (!backlog || workload.tailSubscriptions() > 0);
            case PUBLISH_P99 -> workload.producerRate() > 0;
            case CPU_PER_GB, DISK_PER_BYTE, BACKLOG_DRAIN -> true;
        };
    }

    /** Even when within 5 %; unknown when NaN. */
    public static Verdict of(Measure measure, double ratio) {
        if (Double.isNaN(ratio)) {
            return UNKNOWN;
        }
        double gain = measure.higherIsBetter() ? ratio : 1 / ratio;
        if (gain < NOTABLE && gain > 1 / NOTABLE) {
            return EVEN;
        }
        return gain > 1 ? BETTER : WORSE;
    }
}
