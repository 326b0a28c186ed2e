package io.sluice.perf.result;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Two results of one round, where both met the same machine in the same mood. */
record Pair(RunResult own, RunResult other) {
    /** Within a round number, which several joined runs may repeat, by time. */
    static List<Pair> of(List<RunResult> own, List<RunResult> other) {
        List<Pair> pairs = new ArrayList<>();
        own.stream().mapToInt(RunResult::round).distinct().forEach(round -> {
            List<RunResult> left = inRound(own, round);
            List<RunResult> right = inRound(other, round);
            IntStream.range(0, Math.min(left.size(), right.size()))
                    .forEach(index -> pairs.add(new Pair(left.get(index), right.get(index))));
        });
        return pairs;
    }

    private static List<RunResult> inRound(List<RunResult> results, int round) {
        return results.stream()
                .filter(result -> result.round() == round)
                .sorted(Comparator.comparing(RunResult::started))
                .toList();
    }

    static Map<Measure, Spread> spreads(List<Pair> pairs) {
        Map<Measure, Spread> spreads = new EnumMap<>(Measure.class);
        for (Measure measure : Measure.values()) {
            spreads.put(measure, Spread.of(pairs.stream().mapToDouble(pair -> pair.ratio(measure))));
        }
        return spreads;
    }

    static Evidence evidence(List<Pair> pairs) {
        List<RunResult> all =
                pairs.stream().flatMap(pair -> Stream.of(pair.own, pair.other)).toList();
        return Evidence.of(pairs.size(), all);
    }

    static Failures failures(List<Pair> pairs) {
        return new Failures(
                (int) pairs.stream().filter(pair -> failed(pair.own)).count(),
                (int) pairs.stream().filter(pair -> failed(pair.other)).count(),
                pairs.size());
    }

    private static boolean failed(RunResult result) {
        return result.failure() != null;
    }

    /** 0 or infinite, against who failed; NaN where both did, or where it was not measured. */
    double ratio(Measure measure) {
        double mine = compared(measure, own);
        double theirs = compared(measure, other);
        if (failed(own) || failed(other)) {
            double told = failed(own) ? theirs : mine;
            boolean says = failed(own) != failed(other) && !Double.isNaN(told);
            return says ? failed(other) ? measure.ratioToFailed() : 1 / measure.ratioToFailed() : Double.NaN;
        }
        return mine / theirs;
    }

    /** More than is due at a fixed rate is no gain: it only catches up on what was acknowledged late. */
    private static double compared(Measure measure, RunResult result) {
        double value = measure.of(result);
        int due = result.workload().producerRate();
        return measure == Measure.THROUGHPUT && due > 0 ? Math.min(value, due) : value;
    }
}
