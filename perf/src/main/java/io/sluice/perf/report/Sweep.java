package io.sluice.perf.report;

import io.sluice.perf.result.Evidence;
import io.sluice.perf.result.Measure;
import io.sluice.perf.result.Ratios;
import io.sluice.perf.result.RunResult;
import io.sluice.perf.result.Spread;
import io.sluice.perf.workload.Workload;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One load shape at rising rates.
 *
 * @param shape without name and rate
 * @param curves of each contender by rising rate
 * @param failed those that failed a step
 */
record Sweep(String suite, Workload shape, Map<MeasuredSystem, List<Step>> curves, Set<MeasuredSystem> failed) {
    /** Two rates make a line; three begin to make a curve. */
    private static final int MIN_STEPS = 3;

    /**
     * @param offered records per second
     * @param achieved records per second acknowledged and read
     * @param publishP99 milliseconds
     * @param endToEndP99 milliseconds
     */
    record Step(int offered, Spread achieved, Spread publishP99, Spread endToEndP99, Evidence evidence) {}

    /** Flat-out cases take part in none: their latency is the depth of the clients' buffers. */
    static List<Sweep> of(List<Case> cases) {
        Map<Key, List<Case>> groups = new LinkedHashMap<>();
        for (Case each : cases) {
            if (each.workload().producerRate() > 0) {
                groups.computeIfAbsent(new Key(each.suite(), shapeOf(each.workload())), absent -> new ArrayList<>())
                        .add(each);
            }
        }
        List<Sweep> sweeps = new ArrayList<>();
        groups.forEach((key, steps) -> {
            if (steps.size() >= MIN_STEPS) {
                Set<MeasuredSystem> failed = steps.stream()
                        .flatMap(each -> each.failed().keySet().stream())
                        .collect(Collectors.toSet());
                sweeps.add(new Sweep(key.suite(), key.shape(), curves(steps), failed));
            }
        });
        return sweeps;
    }

    /** Every rate is twice the one before: the steps say one thing together and little each. */
    boolean isClimb() {
        return curves.values().stream().allMatch(steps -> {
            for (int i = 1; i < steps.size(); i++) {
                if (steps.get(i).offered() != 2 * steps.get(i - 1).offered()) {
                    return false;
                }
            }
            return true;
        });
    }

    boolean has(String otherSuite, Workload workload) {
        return suite.equals(otherSuite) && shape.equals(shapeOf(workload));
    }

    /** The step at which most was acknowledged and read. */
    static Step most(List<Step> steps) {
        return steps.stream()
                .max(Comparator.comparingDouble(step -> step.achieved().median()))
                .orElseThrow();
    }

    Set<MeasuredSystem> contenders() {
        Set<MeasuredSystem> all = new LinkedHashSet<>(curves.keySet());
        all.addAll(failed);
        return all;
    }

    /** Most that a contender took: 0 where it failed the first step, NaN where it has not met its limit, as in a sweep cut short. */
    private double limit(MeasuredSystem contender) {
        List<Step> steps = steps(contender);
        if (steps.isEmpty()) {
            return failed.contains(contender) ? 0 : Double.NaN;
        }
        boolean met = failed.contains(contender) || !keptUp(steps.getLast());
        return met ? most(steps).achieved().median() : Double.NaN;
    }

    private List<Step> steps(MeasuredSystem contender) {
        return curves.getOrDefault(contender, List.of());
    }

    /** Sluice's most ÷ the peer's, over the peer's protocol; NaN where not both have met their limit. */
    double sluiceMostTo(MeasuredSystem peer) {
        return sluiceBeside(peer).map(own -> limit(own) / limit(peer)).orElse(Double.NaN);
    }

    /** Sluice's publish p99 ÷ the peer's: the geometric mean over the rates that both keep up with; NaN if there is none. */
    double sluiceP99To(MeasuredSystem peer) {
        return Math.exp(sluiceBeside(peer).map(this::steps).orElse(List.of()).stream()
                .filter(Sweep::keptUp)
                .flatMapToDouble(own -> steps(peer).stream()
                        .filter(step -> step.offered() == own.offered() && keptUp(step))
                        .mapToDouble(step -> Math.log(
                                own.publishP99().median() / step.publishP99().median())))
                .average()
                .orElse(Double.NaN));
    }

    /** Behind what is said of Sluice and a peer: that of the step with the least. */
    Evidence evidence(MeasuredSystem peer) {
        return Stream.concat(sluiceBeside(peer).map(this::steps).orElse(List.of()).stream(), steps(peer).stream())
                .map(Step::evidence)
                .reduce(Evidence::and)
                .orElse(Evidence.NONE);
    }

    private static boolean keptUp(Step step) {
        return Measure.keptUp(step.achieved().median(), step.offered());
    }

    /** Empty if {@code peer} is Sluice itself, or Sluice was not driven over its protocol. */
    private Optional<MeasuredSystem> sluiceBeside(MeasuredSystem peer) {
        return contenders().stream()
                .filter(own -> isSluice(own) && !isSluice(peer))
                .filter(own -> own.protocol().equals(peer.protocol()))
                .filter(own -> own.origin().equals(peer.origin()))
                .findFirst();
    }

    private static boolean isSluice(MeasuredSystem contender) {
        return contender.name().equals(Ratios.SLUICE);
    }

    private record Key(String suite, Workload shape) {}

    private static Map<MeasuredSystem, List<Step>> curves(List<Case> steps) {
        Map<MeasuredSystem, List<Step>> curves = new LinkedHashMap<>();
        List<Case> rising = steps.stream()
                .sorted(Comparator.comparingInt(step -> step.workload().producerRate()))
                .toList();
        for (Case step : rising) {
            for (MeasuredSystem contender : step.contenders()) {
                curves.computeIfAbsent(contender, absent -> new ArrayList<>()).add(step(step, contender));
            }
        }
        return curves;
    }

    private static Step step(Case step, MeasuredSystem contender) {
        return new Step(
                step.workload().producerRate(),
                step.spread(contender, RunResult::sustainedPerSecond),
                step.spread(contender, result -> result.figures().publish().p99()),
                step.spread(contender, Sweep::endToEndP99),
                step.evidence(contender));
    }

    private static double endToEndP99(RunResult result) {
        return result.figures().endToEnd().p99();
    }

    private static Workload shapeOf(Workload workload) {
        return workload.atRate("", 0);
    }
}
