package io.sluice.perf.compare;

import io.sluice.perf.result.RunResult;

/** Puts a workload on a server and measures. */
public interface LoadDriver {
    /**
     * Drives it to the end. A load that breaks down is a result with a failure, not an exception.
     *
     * @param subject what serves
     * @param target its address, a URL whose scheme is the protocol
     * @param pid its process on this machine
     */
    RunResult drive(Turn turn, RunResult.Subject subject, String target, long pid) throws InterruptedException;

    /** The result of a turn whose server did not even start; figures say that nothing was measured. */
    RunResult notStarted(Turn turn, String why);
}
