package io.sluice.perf.check;

import io.sluice.perf.result.RunResult;
import io.sluice.perf.result.Spread;
import io.sluice.perf.workload.Workload;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One gauge under one workload. */
public record Reading(String workload, Gauge gauge, double value) {
    /** All that the results have; what was not measured is left out. */
    static List<Reading> of(List<RunResult> results) {
        Map<Workload, List<RunResult>> byWorkload = new LinkedHashMap<>();
        for (RunResult result : results) {
            byWorkload
                    .computeIfAbsent(result.workload(), key -> new ArrayList<>())
                    .add(result);
        }
        List<Reading> readings = new ArrayList<>();
        byWorkload.forEach((workload, rounds) -> {
            for (Gauge gauge : Gauge.values()) {
                Spread spread = gauge.appliesTo(workload) ? gauge.of(rounds) : Spread.NONE;
                if (spread.isPresent()) {
                    readings.add(new Reading(workload.name(), gauge, spread.median()));
                }
            }
        });
        return readings;
    }
}
