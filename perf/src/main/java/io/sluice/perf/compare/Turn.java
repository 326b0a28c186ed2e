package io.sluice.perf.compare;

import io.sluice.perf.suite.Course;
import io.sluice.perf.workload.Workload;
import java.util.List;

/**
 * Workloads against one system, once, on one server.
 *
 * @param suite the suite they belong to, or the workload's own name
 * @param round from 1
 * @param workloads one, unless they run in a row
 */
public record Turn(String suite, int round, List<Workload> workloads, Entrant entrant, Course course) {
    /** The only one, or the first of a row. */
    public Workload workload() {
        return workloads.getFirst();
    }

    /** Its first workload flat out, on topics of its own: nothing of it is kept. */
    Turn warmUp() {
        return with(workload().atRate(workload().name() + ", warm-up", 0).withTest(1));
    }

    Turn with(Workload other) {
        return new Turn(suite, round, List.of(other), entrant, course);
    }

    @Override
    public String toString() {
        String what = course == Course.IN_A_ROW ? suite : workload().name();
        return "round " + round + ": " + what + ": " + entrant;
    }
}
