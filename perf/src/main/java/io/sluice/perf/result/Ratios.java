package io.sluice.perf.result;

import io.sluice.perf.workload.Workload;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Sluice over a peer, for one workload. A ratio is taken within a round, where both met the same machine in the same mood,
 * and only then summed up over the rounds. In a round that one side failed the ratio is 0 or infinite, against it; a round that both
 * failed says nothing.
 *
 * @param base what both sides share
 * @param protocol Sluice was driven over: the peer's own where there is such a result
 * @param peer name and protocol of the other side
 * @param failures of either side
 * @param evidence behind all of it
 * @param byMeasure every measure, {@link Spread#NONE} where a side has no figure
 */
public record Ratios(
        Base base, String protocol, Peer peer, Failures failures, Evidence evidence, Map<Measure, Spread> byMeasure) {
    /** The name under which the server of this project takes part. */
    public static final String SLUICE = "sluice";

    /** Only results that agree in all of it are compared. */
    public record Base(RunResult.Machine machine, String commit, String suite, Workload workload) {}

    public record Peer(String name, String protocol) {}

    /** Sluice / peer. */
    public Spread of(Measure measure) {
        return byMeasure.getOrDefault(measure, Spread.NONE);
    }

    /** In the order in which bases, then peers first appear; a peer without a counterpart yields nothing. */
    public static List<Ratios> of(Collection<RunResult> results) {
        Map<Base, Map<Peer, List<RunResult>>> groups = new LinkedHashMap<>();
        for (RunResult result : results) {
            var base = new Base(result.machine(), result.commit(), result.suite(), result.workload());
            var peer = new Peer(result.subject().name(), result.subject().protocol());
            var bySubject = groups.computeIfAbsent(base, key -> new LinkedHashMap<>());
            var rounds = bySubject.computeIfAbsent(peer, key -> new ArrayList<>());
            rounds.add(result);
        }
        List<Ratios> ratios = new ArrayList<>();
        groups.forEach((base, bySubject) -> bySubject.keySet().stream()
                .filter(peer -> !peer.name().equals(SLUICE))
                .forEach(peer -> ratios.addAll(against(base, peer, bySubject))));
        return ratios;
    }

    private static List<Ratios> against(Base base, Peer peer, Map<Peer, List<RunResult>> bySubject) {
        List<Peer> own = bySubject.keySet().stream()
                .filter(subject -> subject.name().equals(SLUICE))
                .toList();
        List<Peer> sameProtocol = own.stream()
                .filter(subject -> subject.protocol().equals(peer.protocol()))
                .toList();
        return (sameProtocol.isEmpty() ? own : sameProtocol)
                .stream().map(sluice -> between(base, sluice, bySubject, peer)).toList();
    }

    private static Ratios between(Base base, Peer sluice, Map<Peer, List<RunResult>> bySubject, Peer peer) {
        List<Pair> pairs = pairs(bySubject.getOrDefault(sluice, List.of()), bySubject.getOrDefault(peer, List.of()));
        Map<Measure, Spread> spreads = new EnumMap<>(Measure.class);
        for (Measure measure : Measure.values()) {
            spreads.put(measure, Spread.of(pairs.stream().mapToDouble(pair -> pair.ratio(measure))));
        }
        List<RunResult> compared = pairs.stream()
                .flatMap(pair -> Stream.of(pair.sluice, pair.peer))
                .toList();
        var failures = new Failures(
                (int) pairs.stream().filter(pair -> failed(pair.sluice)).count(),
                (int) pairs.stream().filter(pair -> failed(pair.peer)).count(),
                pairs.size());
        return new Ratios(base, sluice.protocol(), peer, failures, Evidence.of(pairs.size(), compared), spreads);
    }

    /** Within a round number, which several joined runs may repeat, by time. */
    private static List<Pair> pairs(List<RunResult> sluice, List<RunResult> peer) {
        List<Pair> pairs = new ArrayList<>();
        sluice.stream().mapToInt(RunResult::round).distinct().forEach(round -> {
            List<RunResult> own = inRound(sluice, round);
            List<RunResult> others = inRound(peer, round);
            IntStream.range(0, Math.min(own.size(), others.size()))
                    .forEach(index -> pairs.add(new Pair(own.get(index), others.get(index))));
        });
        return pairs;
    }

    private static List<RunResult> inRound(List<RunResult> results, int round) {
        return results.stream()
                .filter(result -> result.round() == round)
                .sorted(Comparator.comparing(RunResult::started))
                .toList();
    }

    private static boolean failed(RunResult result) {
        return result.failure() != null;
    }

    private record Pair(RunResult sluice, RunResult peer) {
        double ratio(Measure measure) {
            double own = compared(measure, sluice);
            double other = compared(measure, peer);
            if (failed(sluice) || failed(peer)) {
                double told = failed(sluice) ? other : own;
                boolean says = failed(sluice) != failed(peer) && !Double.isNaN(told);
                return says ? failed(peer) ? measure.ratioToFailed() : 1 / measure.ratioToFailed() : Double.NaN;
            }
            return own / other;
        }

        /** More than is due at a fixed rate is no gain: it only catches up on what was acknowledged late. */
        private static double compared(Measure measure, RunResult result) {
            double value = measure.of(result);
            int due = result.workload().producerRate();
            return measure == Measure.THROUGHPUT && due > 0 ? Math.min(value, due) : value;
        }
    }
}
