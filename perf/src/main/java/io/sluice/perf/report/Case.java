package io.sluice.perf.report;

import io.sluice.perf.result.Evidence;
import io.sluice.perf.result.RunResult;
import io.sluice.perf.result.Spread;
import io.sluice.perf.workload.Workload;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;

/**
 * One workload and everybody who went through it.
 *
 * @param rounds of each contender, at least one, in order of time; failed results are not among them
 * @param failed how many rounds of each contender failed
 */
record Case(
        String suite,
        Workload workload,
        Map<MeasuredSystem, List<RunResult>> rounds,
        Map<MeasuredSystem, Integer> failed) {
    /** Key of a case: its results share it. */
    record Key(String suite, Workload workload) {}

    String title() {
        String name = workload.name();
        return name.equals(suite) ? name : suite + ": " + name;
    }

    Set<MeasuredSystem> contenders() {
        return rounds.keySet();
    }

    /** "2", "2 of 3": how many went well. */
    String roundsOf(MeasuredSystem contender) {
        int went = of(contender).size();
        int wrong = failed.getOrDefault(contender, 0);
        return wrong == 0 ? String.valueOf(went) : went + " of " + (went + wrong);
    }

    /** In most rounds. */
    boolean limitedByClient(MeasuredSystem contender) {
        long limited = of(contender).stream()
                .filter(result -> result.figures().use().limitedByClient())
                .count();
        return 2 * limited > of(contender).size();
    }

    List<RunResult> of(MeasuredSystem contender) {
        return rounds.getOrDefault(contender, List.of());
    }

    /** Behind what is said of a contender. */
    Evidence evidence(MeasuredSystem contender) {
        return Evidence.of(of(contender).size(), of(contender));
    }

    /** Negative figures are unknown ones. */
    Spread spread(MeasuredSystem contender, ToDoubleFunction<RunResult> figure) {
        return Spread.of(of(contender).stream().mapToDouble(figure).map(value -> value < 0 ? Double.NaN : value));
    }

    /** The one round whose curves are drawn: that of the median publish p99. */
    RunResult typical(MeasuredSystem contender) {
        List<RunResult> sorted = of(contender).stream()
                .sorted(Comparator.comparingDouble(
                        result -> result.figures().publish().p99()))
                .toList();
        return sorted.get((sorted.size() - 1) / 2);
    }

    /** "round 2 of 3". */
    String roundOf(MeasuredSystem contender) {
        return "round " + typical(contender).round() + " of " + of(contender).size();
    }
}
