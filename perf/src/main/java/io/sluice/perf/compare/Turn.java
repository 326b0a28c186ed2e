package io.sluice.perf.compare;

import io.sluice.perf.workload.Workload;

/**
 * One workload against one system, once.
 *
 * @param suite the suite it belongs to, or the workload's own name
 * @param round from 1
 */
public record Turn(String suite, int round, Workload workload, Entrant entrant) {
    @Override
    public String toString() {
        return "round " + round + ": " + workload.name() + ": " + entrant;
    }
}
