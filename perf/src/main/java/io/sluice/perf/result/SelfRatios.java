package io.sluice.perf.result;

import io.sluice.perf.workload.Workload;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A system over itself: what more partitions, subscriptions, readers or producers, keys, other batches or another level of durability
 * do to it. Only loads of one suite that differ in nothing else are compared, within a round.
 *
 * @param system without its level, and the protocol
 * @param from value of the dimension of the smaller load, by which is divided
 * @param to value of the other
 * @param load that the other was
 */
public record SelfRatios(
        String system,
        String protocol,
        Dimension dimension,
        String from,
        String to,
        Workload load,
        Evidence evidence,
        Map<Measure, Spread> byMeasure) {

    private record Key(
            RunResult.Machine machine, String commit, String suite, String system, String protocol, Workload rest) {}

    public Spread of(Measure measure) {
        return byMeasure.getOrDefault(measure, Spread.NONE);
    }

    /** By dimension, then in the order in which systems first appear. */
    public static List<SelfRatios> of(Collection<RunResult> results) {
        List<SelfRatios> all = new ArrayList<>();
        for (Dimension dimension : Dimension.values()) {
            Map<Key, Map<Comparable<?>, List<RunResult>>> groups = new LinkedHashMap<>();
            for (RunResult result : results) {
                groups.computeIfAbsent(key(dimension, result), absent -> new TreeMap<>())
                        .computeIfAbsent(dimension.of(result), absent -> new ArrayList<>())
                        .add(result);
            }
            groups.forEach((key, byValue) -> all.addAll(toTheSmallest(dimension, key, byValue)));
        }
        return all;
    }

    private static Key key(Dimension dimension, RunResult result) {
        String name = result.subject().name();
        int dash = name.indexOf('-');
        String system = dimension == Dimension.LEVEL && dash > 0 ? name.substring(0, dash) : name;
        return new Key(
                result.machine(),
                result.commit(),
                result.suite(),
                system,
                result.subject().protocol(),
                dimension.rest(result.workload()));
    }

    private static List<SelfRatios> toTheSmallest(
            Dimension dimension, Key key, Map<Comparable<?>, List<RunResult>> byValue) {
        List<SelfRatios> ratios = new ArrayList<>();
        var smallest = byValue.entrySet().iterator().next();
        byValue.forEach((value, results) -> {
            if (!value.equals(smallest.getKey())) {
                List<Pair> pairs = Pair.of(results, smallest.getValue());
                ratios.add(new SelfRatios(
                        key.system(),
                        key.protocol(),
                        dimension,
                        smallest.getKey().toString(),
                        value.toString(),
                        results.getFirst().workload(),
                        Pair.evidence(pairs),
                        Pair.spreads(pairs)));
            }
        });
        return ratios;
    }
}
