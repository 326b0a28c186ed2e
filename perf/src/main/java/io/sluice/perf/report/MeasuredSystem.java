package io.sluice.perf.report;

import io.sluice.perf.result.Ratios;
import io.sluice.perf.result.RunResult;
import java.util.Comparator;
import java.util.List;

/**
 * A line of a chart: a system, over one protocol, measured on one machine at one commit of Sluice.
 *
 * @param name as in {@link RunResult.Subject}
 * @param protocol likewise
 */
record MeasuredSystem(String name, String protocol, Origin origin) {
    /** Sluice first, then the peers; what users call their own targets comes last, by name. */
    private static final List<String> ORDER =
            List.of(Ratios.SLUICE, "sluice-2", "kafka", "kafka-flush", "pulsar", "pulsar-nosync", "pravega");

    static final Comparator<MeasuredSystem> BY_SYSTEM = Comparator.comparingInt(MeasuredSystem::rank)
            .thenComparing(MeasuredSystem::name)
            .thenComparing(MeasuredSystem::protocol);

    /** Figures of different origins stand beside each other, but no ratio is taken across. */
    record Origin(RunResult.Machine machine, String commit) {
        static Origin of(RunResult result) {
            return new Origin(result.machine(), result.commit());
        }
    }

    static MeasuredSystem of(RunResult result) {
        return new MeasuredSystem(result.subject().name(), result.subject().protocol(), Origin.of(result));
    }

    private int rank() {
        int index = ORDER.indexOf(name);
        return index < 0 ? ORDER.size() : index;
    }
}
