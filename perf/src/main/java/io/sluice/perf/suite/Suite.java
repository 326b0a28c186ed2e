package io.sluice.perf.suite;

import io.sluice.perf.workload.Workload;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Workloads that belong together.
 *
 * @param name after its source
 * @param source where the shapes come from, and what was made smaller
 * @param workloads named differently, sized for one small machine
 */
public record Suite(String name, String source, List<Workload> workloads, Course course) {
    public Suite(String name, String source, List<Workload> workloads) {
        this(name, source, workloads, Course.APART);
    }

    public Suite {
        Set<String> names = new HashSet<>();
        workloads.forEach(workload -> {
            if (!names.add(workload.name())) {
                throw new IllegalArgumentException("suite " + name + " has two workloads called " + workload.name());
            }
        });
    }

    /**
     * The same with other measured times.
     *
     * @param scale above 0; measured times and backlogs are multiplied by it, no time gets shorter than a second
     */
    public Suite scaled(double scale) {
        if (!(scale > 0) || !Double.isFinite(scale)) {
            throw new IllegalArgumentException("scale is " + scale + ", want more than 0");
        }
        return new Suite(
                name,
                source,
                workloads.stream().map(workload -> scaled(workload, scale)).toList(),
                course);
    }

    /** The same with other warm-ups. */
    public Suite warmedFor(int seconds) {
        return new Suite(
                name,
                source,
                workloads.stream().map(workload -> workload.withWarmUp(seconds)).toList(),
                course);
    }

    /** Only the workloads whose name contains a text. */
    public Suite only(String text) {
        return new Suite(
                name,
                source,
                workloads.stream()
                        .filter(workload -> workload.name().contains(text))
                        .toList(),
                course);
    }

    private static Workload scaled(Workload workload, double scale) {
        return workload.withBacklog(workload.consumerBacklogSizeGB() * scale)
                .withTest(seconds(workload.testDurationSeconds(), scale));
    }

    private static int seconds(int seconds, double scale) {
        return (int) Math.max(1, Math.round(seconds * scale));
    }
}
