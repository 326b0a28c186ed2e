package io.sluice.perf.suite;

/** How the workloads of a suite share servers. */
public enum Course {
    /** Each workload has a server of its own, warmed by load of the same kind. */
    APART,
    /** Each workload is the first step of a climb on a server of its own: its rate is raised until a system no longer keeps up. */
    RISING,
    /** All workloads of a round run one after the other on one server, which the first of them warms. */
    IN_A_ROW
}
