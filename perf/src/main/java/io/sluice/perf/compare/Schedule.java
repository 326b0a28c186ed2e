package io.sluice.perf.compare;

import io.sluice.perf.suite.Suite;
import io.sluice.perf.workload.Workload;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Who runs when. Each workload meets all systems before the next, so that what is compared is close in time; every second
 * round goes backwards, so that none is always the one that finds the machine warm.
 */
public final class Schedule {
    private Schedule() {}

    public static List<Turn> of(List<Suite> suites, List<Entrant> entrants, int rounds) {
        List<Turn> turns = new ArrayList<>();
        for (int round = 1; round <= rounds; round++) {
            List<Entrant> order = round % 2 == 1 ? entrants : entrants.reversed();
            for (Suite suite : suites) {
                for (Workload workload : suite.workloads()) {
                    for (Entrant entrant : order) {
                        turns.add(new Turn(suite.name(), round, workload, entrant, suite.rising()));
                    }
                }
            }
        }
        return turns;
    }

    /**
     * The first turn of each protocol. Clients start cold, which whoever comes first would pay for: these are run before all
     * others, and their results dropped.
     */
    public static List<Turn> rehearsal(List<Turn> turns) {
        Map<String, Turn> first = new LinkedHashMap<>();
        turns.forEach(turn -> first.putIfAbsent(turn.entrant().protocol(), turn));
        return List.copyOf(first.values());
    }
}
