package io.sluice.perf.result;

import io.sluice.perf.workload.Workload;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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

    /**
     * Even when within 5 %, or when the rounds disagree about who is ahead. The side that fails a round that the other goes through is
     * behind. Neither is ahead before both were measured warm and in three rounds.
     */
    public Verdict verdict(Measure measure) {
        Spread ratio = of(measure);
        Verdict verdict = ratio.low() < 1 && ratio.high() > 1 ? Verdict.EVEN : Verdict.of(measure, ratio.median());
        if (failures.isAny() && verdict != Verdict.UNKNOWN) {
            verdict = failures.verdict();
        }
        // a system that cannot keep a fixed rate says something all the same
        boolean fellBehind = measure == Measure.THROUGHPUT && verdict != Verdict.EVEN;
        boolean speaks = fellBehind || Verdict.isDecidedBySystem(measure, base.workload());
        return speaks || verdict == Verdict.UNKNOWN ? verdict.given(evidence) : Verdict.UNJUDGED;
    }

    /** Ratios of Sluice with its defaults. */
    public static List<Ratios> of(Collection<RunResult> results) {
        return of(results, SLUICE);
    }

    /**
     * In the order in which bases, then peers first appear; a peer without a counterpart yields nothing.
     *
     * @param over name of the system that is divided by all others; all that says "Sluice" means it
     */
    public static List<Ratios> of(Collection<RunResult> results, String over) {
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
                .filter(peer -> !peer.name().equals(over))
                .forEach(peer -> ratios.addAll(against(base, over, peer, bySubject))));
        return ratios;
    }

    private static List<Ratios> against(Base base, String over, Peer peer, Map<Peer, List<RunResult>> bySubject) {
        List<Peer> own = bySubject.keySet().stream()
                .filter(subject -> subject.name().equals(over))
                .toList();
        List<Peer> sameProtocol = own.stream()
                .filter(subject -> subject.protocol().equals(peer.protocol()))
                .toList();
        return (sameProtocol.isEmpty() ? own : sameProtocol)
                .stream().map(each -> between(base, each, bySubject, peer)).toList();
    }

    private static Ratios between(Base base, Peer own, Map<Peer, List<RunResult>> bySubject, Peer peer) {
        List<Pair> pairs = Pair.of(bySubject.getOrDefault(own, List.of()), bySubject.getOrDefault(peer, List.of()));
        return new Ratios(base, own.protocol(), peer, Pair.failures(pairs), Pair.evidence(pairs), Pair.spreads(pairs));
    }
}
