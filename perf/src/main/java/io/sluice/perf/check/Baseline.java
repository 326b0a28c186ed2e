package io.sluice.perf.check;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sluice.perf.result.RunResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Figures of the last accepted measurement.
 *
 * @param commit of Sluice then
 */
public record Baseline(RunResult.Machine machine, String commit, List<Reading> readings) {
    /** From so much more than the baseline on, a figure has become worse. */
    static final double TOLERANCE = 0.2;

    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** Baseline of results on one machine at one commit, at least one. */
    static Baseline of(List<RunResult> results) {
        RunResult any = results.getFirst();
        return new Baseline(any.machine(), any.commit(), Reading.of(results));
    }

    static Baseline read(Path file) throws IOException {
        try {
            return JSON.readValue(Files.readAllBytes(file), Baseline.class);
        } catch (NoSuchFileException e) {
            throw new IOException("there is no baseline " + file + "; make one with --update", e);
        } catch (JsonProcessingException e) {
            throw new IOException(file + " is not a baseline: " + e.getOriginalMessage(), e);
        }
    }

    void write(Path file) throws IOException {
        Files.writeString(
                file, JSON.writerWithDefaultPrettyPrinter().writeValueAsString(this) + System.lineSeparator());
    }

    /** One line per figure that has become worse or is no longer measured; none if all is well. */
    List<String> complaints(Baseline now) {
        boolean sameMachine = machine.equals(now.machine);
        List<String> complaints = new ArrayList<>();
        for (Reading then : readings) {
            String complaint = then.gauge().isOfMachine() == sameMachine || then.gauge() == Gauge.P99_TO_KAFKA
                    ? complaint(then, now)
                    : null;
            if (complaint != null && (!then.gauge().isOfMachine() || kafkaFaredBetter(then.workload(), now))) {
                complaints.add(complaint);
            }
        }
        return complaints;
    }

    /** A machine has slow hours, in which the same work takes all who do it more CPU-seconds: then Kafka's say so too. */
    private boolean kafkaFaredBetter(String workload, Baseline now) {
        return reading(workload, Gauge.CPU_TO_KAFKA)
                .map(ratio -> complaint(ratio, now) != null)
                .orElse(true);
    }

    private Optional<Reading> reading(String workload, Gauge gauge) {
        return readings.stream()
                .filter(reading ->
                        reading.gauge() == gauge && reading.workload().equals(workload))
                .findFirst();
    }

    private static @Nullable String complaint(Reading then, Baseline now) {
        String what = then.workload() + ": " + then.gauge().title();
        Reading found = now.reading(then.workload(), then.gauge()).orElse(null);
        if (found == null) {
            return what + " could not be measured";
        }
        if (found.value() < then.value() * (1 + TOLERANCE)) {
            return null;
        }
        return String.format(
                Locale.ROOT,
                "%s is %.2f, was %.2f: %+.0f %%",
                what,
                found.value(),
                then.value(),
                (found.value() / then.value() - 1) * 100);
    }
}
