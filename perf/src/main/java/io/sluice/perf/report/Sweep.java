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
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * One load shape at rising rates.
 *
 * @param shape without name and rate
 * @param curves of each contender by rising rate
 */
record Sweep(String suite, Workload shape, Map<Contender, List<Step>> curves) {
    /** Two rates make a line; three begin to make a curve. */
    private static final int MIN_STEPS = 3;

    /**
     * @param offered records per second
     * @param achieved records per second acknowledged
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
                sweeps.add(new Sweep(key.suite(), key.shape(), curves(steps)));
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

    /** The step at which most was acknowledged. */
    static Step most(List<Step> steps) {
        return steps.stream()
                .max(Comparator.comparingDouble(step -> step.achieved().median()))
                .orElseThrow();
    }

    /** Acknowledged less than was due at the last step. */
    static boolean metItsLimit(List<Step> steps) {
        return !steps.isEmpty() && !keptUp(steps.getLast());
    }

    /** Sluice's most ÷ the peer's, over the peer's protocol; NaN where not both have met their limit, as when a sweep was cut short. */
    double sluiceMostTo(Contender peer) {
        List<Step> own = sluiceBeside(peer);
        List<Step> theirs = curves.getOrDefault(peer, List.of());
        return metItsLimit(own) && metItsLimit(theirs)
                ? most(own).achieved().median() / most(theirs).achieved().median()
                : Double.NaN;
    }

    /** Sluice's publish p99 ÷ the peer's: the geometric mean over the rates that both keep up with; NaN if there is none. */
    double sluiceP99To(Contender peer) {
        List<Step> theirs = curves.getOrDefault(peer, List.of());
        return Math.exp(sluiceBeside(peer).stream()
                .filter(Sweep::keptUp)
                .flatMapToDouble(own -> theirs.stream()
                        .filter(step -> step.offered() == own.offered() && keptUp(step))
                        .mapToDouble(step -> Math.log(
                                own.publishP99().median() / step.publishP99().median())))
                .average()
                .orElse(Double.NaN));
    }

    /** Behind what is said of Sluice and a peer: that of the step with the least. */
    Evidence evidence(Contender peer) {
        return Stream.concat(sluiceBeside(peer).stream(), curves.getOrDefault(peer, List.of()).stream())
                .map(Step::evidence)
                .reduce(Evidence::and)
                .orElse(Evidence.NONE);
    }

    private static boolean keptUp(Step step) {
        return Measure.keptUp(step.achieved().median(), step.offered());
    }

    /** Empty if {@code peer} is Sluice itself, or Sluice was not driven over its protocol. */
    private List<Step> sluiceBeside(Contender peer) {
        return curves.entrySet().stream()
                .filter(curve -> isSluice(curve.getKey()) && !isSluice(peer))
                .filter(curve -> curve.getKey().protocol().equals(peer.protocol()))
                .filter(curve -> curve.getKey().origin().equals(peer.origin()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(List.of());
    }

    private static boolean isSluice(Contender contender) {
        return contender.name().equals(Ratios.SLUICE);
    }

    private record Key(String suite, Workload shape) {}

    private static Map<Contender, List<Step>> curves(List<Case> steps) {
        Map<Contender, List<Step>> curves = new LinkedHashMap<>();
        List<Case> rising = steps.stream()
                .sorted(Comparator.comparingInt(step -> step.workload().producerRate()))
                .toList();
        for (Case step : rising) {
            for (Contender contender : step.contenders()) {
                curves.computeIfAbsent(contender, absent -> new ArrayList<>()).add(step(step, contender));
            }
        }
        return curves;
    }

    private static Step step(Case step, Contender contender) {
        return new Step(
                step.workload().producerRate(),
                step.spread(contender, result -> result.figures().publishedPerSecond()),
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
