package io.sluice.perf.report;

import io.sluice.perf.report.MeasuredSystem.Origin;
import io.sluice.perf.result.Ratios;
import io.sluice.perf.result.RunResult;
import io.sluice.perf.workload.Workload;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The results of one or several runs, in the order in which they are shown. */
final class JoinedResults {
    private final List<RunResult> results;
    private final List<Origin> origins;
    private final List<MeasuredSystem> contenders;
    private final List<Case> cases;
    private final List<Sweep> climbs;

    /** @param results at least one */
    JoinedResults(List<RunResult> results) {
        this.results = List.copyOf(results);
        this.origins = results.stream()
                .sorted(Comparator.comparing(RunResult::started))
                .map(Origin::of)
                .distinct()
                .toList();
        Comparator<MeasuredSystem> order =
                MeasuredSystem.BY_SYSTEM.thenComparing(contender -> origins.indexOf(contender.origin()));
        this.contenders = results.stream()
                .map(MeasuredSystem::of)
                .distinct()
                .sorted(order)
                .toList();
        this.cases = cases(order);
        this.climbs = Sweep.of(cases).stream().filter(Sweep::isClimb).toList();
    }

    private List<Case> cases(Comparator<MeasuredSystem> order) {
        Map<Case.Key, Map<MeasuredSystem, List<RunResult>>> groups = new LinkedHashMap<>();
        Map<Case.Key, Map<MeasuredSystem, Integer>> failed = new HashMap<>();
        for (RunResult result : results) {
            var key = new Case.Key(result.suite(), result.workload());
            var group = groups.computeIfAbsent(key, absent -> new TreeMap<>(order));
            if (result.failure() != null) {
                failed.computeIfAbsent(key, absent -> new TreeMap<>(order))
                        .merge(MeasuredSystem.of(result), 1, Integer::sum);
            } else {
                group.computeIfAbsent(MeasuredSystem.of(result), absent -> new ArrayList<>())
                        .add(result);
            }
        }
        List<Case> built = new ArrayList<>();
        groups.forEach((key, rounds) -> {
            rounds.values().forEach(list -> list.sort(Comparator.comparing(RunResult::started)));
            built.add(new Case(key.suite(), key.workload(), rounds, failed.getOrDefault(key, Map.of())));
        });
        return built;
    }

    List<RunResult> results() {
        return results;
    }

    /** By first start. */
    List<Origin> origins() {
        return origins;
    }

    List<MeasuredSystem> contenders() {
        return contenders;
    }

    /** A case in which everybody failed has no contenders. */
    List<Case> cases() {
        return cases;
    }

    /** Sweeps whose rates double. */
    List<Sweep> climbs() {
        return climbs;
    }

    /** Cases that are not steps of a climb, whose own chart shows all its steps. */
    List<Case> casesBesideClimbs() {
        return cases.stream()
                .filter(each -> !isStep(each.suite(), each.workload()))
                .toList();
    }

    /** Likewise. */
    List<Ratios> ratios() {
        return Ratios.of(results).stream()
                .filter(row -> !isStep(row.base().suite(), row.base().workload()))
                .toList();
    }

    private boolean isStep(String suite, Workload workload) {
        return climbs.stream().anyMatch(climb -> climb.has(suite, workload));
    }

    List<RunResult> failed() {
        return results.stream().filter(result -> result.failure() != null).toList();
    }

    /** As short as it can be without being taken for another. */
    String label(MeasuredSystem contender) {
        return system(contender.name(), contender.protocol()) + mark(contender.origin());
    }

    String system(String name, String protocol) {
        boolean severalProtocols = contenders.stream()
                        .filter(other -> other.name().equals(name))
                        .map(MeasuredSystem::protocol)
                        .distinct()
                        .count()
                > 1;
        return severalProtocols ? name + " (" + protocol + ")" : name;
    }

    /** Whom Sluice is compared with; and over which protocol, where it is not the peer's. */
    String rival(Ratios row) {
        Ratios.Peer peer = row.peer();
        String protocol = row.protocol().equals(peer.protocol()) ? "" : ", Sluice over " + row.protocol();
        return system(peer.name(), peer.protocol())
                + mark(new Origin(row.base().machine(), row.base().commit()))
                + protocol;
    }

    /** " #2" for the second origin; empty when there is but one. */
    String mark(Origin origin) {
        return origins.size() == 1 ? "" : " #" + (origins.indexOf(origin) + 1);
    }
}
