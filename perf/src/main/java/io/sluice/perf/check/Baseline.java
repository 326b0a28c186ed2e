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

/**
 * What was measured when it was last found good.
 *
 * @param commit of Sluice then
 */
public record Baseline(RunResult.Machine machine, String commit, List<Reading> readings) {
    /** From so much more than the baseline on, a figure has become worse. */
    static final double TOLERANCE = 0.2;

    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** Of results on one machine at one commit, at least one. */
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
            // Where the machine's own figure counts, its ratio to Kafka would only say the same with more noise.
            if (then.gauge() == Gauge.P99_TO_KAFKA || then.gauge().isOfMachine() == sameMachine) {
                complaint(then, now, complaints);
            }
        }
        return complaints;
    }

    private static void complaint(Reading then, Baseline now, List<String> complaints) {
        String what = then.workload() + ": " + then.gauge().title();
        now.readings.stream()
                .filter(reading ->
                        reading.gauge() == then.gauge() && reading.workload().equals(then.workload()))
                .findFirst()
                .ifPresentOrElse(
                        reading -> {
                            if (reading.value() >= then.value() * (1 + TOLERANCE)) {
                                complaints.add(String.format(
                                        Locale.ROOT,
                                        "%s is %.2f, was %.2f: %+.0f %%",
                                        what,
                                        reading.value(),
                                        then.value(),
                                        (reading.value() / then.value() - 1) * 100));
                            }
                        },
                        () -> complaints.add(what + " could not be measured"));
    }
}
