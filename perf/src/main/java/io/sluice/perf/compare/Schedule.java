package io.sluice.perf.compare;

import io.sluice.perf.suite.Course;
import io.sluice.perf.suite.Suite;
import io.sluice.perf.workload.Workload;
import java.util.ArrayList;
import java.util.List;

/**
 * Order of the runs. Each workload, or row of them, meets all systems before the next, so that what is compared is close in time; every second
 * round goes backwards, so that none is always the one that finds the machine warm.
 */
public final class Schedule {
    private Schedule() {}

    public static List<Turn> of(List<Suite> suites, List<Entrant> entrants, int rounds) {
        List<Turn> turns = new ArrayList<>();
        for (int round = 1; round <= rounds; round++) {
            List<Entrant> order = round % 2 == 1 ? entrants : entrants.reversed();
            for (Suite suite : suites) {
                for (List<Workload> workloads : perServer(suite)) {
                    for (Entrant entrant : order) {
                        turns.add(new Turn(suite.name(), round, workloads, entrant, suite.course()));
                    }
                }
            }
        }
        return turns;
    }

    private static List<List<Workload>> perServer(Suite suite) {
        return suite.course() == Course.IN_A_ROW
                ? List.of(suite.workloads())
                : suite.workloads().stream().map(List::of).toList();
    }
}
