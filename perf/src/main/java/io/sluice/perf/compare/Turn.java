package io.sluice.perf.compare;

import io.sluice.perf.workload.Workload;

/**
 * One workload against one system, once.
 *
 * @param suite the suite it belongs to, or the workload's own name
 * @param round from 1
 * @param rising the workload is the first step of a climb
 */
public record Turn(String suite, int round, Workload workload, Entrant entrant, boolean rising) {
    Turn with(Workload other) {
        return new Turn(suite, round, other, entrant, rising);
    }

    @Override
    public String toString() {
        return "round " + round + ": " + workload.name() + ": " + entrant;
    }
}
