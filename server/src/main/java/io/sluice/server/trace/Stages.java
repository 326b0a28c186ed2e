package io.sluice.server.trace;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import jdk.jfr.Timespan;
import jdk.jfr.ValueDescriptor;
import jdk.jfr.consumer.RecordedEvent;

/**
 * Values of sampled events, by event and field: fields that are time spans in microseconds, counts as they are. Keeps at most
 * {@value #MOST_SAMPLES} events of a type.
 */
final class Stages {
    static final int MOST_SAMPLES = 10_000;

    /** Fields that the recorder adds to every event. */
    private static final List<String> COMMON = List.of("startTime", "eventThread", "stackTrace");

    private final Map<String, Samples> events = new TreeMap<>();

    private static final class Samples {
        final Map<String, long[]> fields = new LinkedHashMap<>();
        final Map<String, String> labels = new LinkedHashMap<>();
        int count;
    }

    /** Numeric fields only. */
    void add(RecordedEvent event) {
        Samples samples = events.computeIfAbsent(event.getEventType().getName(), _ -> new Samples());
        if (samples.count == MOST_SAMPLES) {
            return;
        }
        for (ValueDescriptor field : event.getFields()) {
            String name = field.getName();
            if (!COMMON.contains(name) && isNumber(field)) {
                samples.labels.putIfAbsent(name, field.getLabel());
                samples.fields.computeIfAbsent(name, _ -> new long[MOST_SAMPLES])[samples.count] = value(event, field);
            }
        }
        samples.count++;
    }

    private static boolean isNumber(ValueDescriptor field) {
        return field.getTypeName().equals("int") || field.getTypeName().equals("long");
    }

    private static long value(RecordedEvent event, ValueDescriptor field) {
        if (field.getAnnotation(Timespan.class) != null) {
            Duration time = event.getDuration(field.getName());
            return time.toNanos() / 1_000;
        }
        return event.getLong(field.getName());
    }

    /** A line for each field: median, 90th and 99th percentile, maximum; a paragraph for each type of event. */
    String table() {
        List<String> lines = new ArrayList<>();
        events.forEach((event, samples) -> {
            if (!lines.isEmpty()) {
                lines.add("");
            }
            lines.add("%-20s %9s %9s %9s %9s  %s"
                    .formatted(event, "p50", "p90", "p99", "max", samples.count + " samples; times in microseconds"));
            samples.fields.forEach((name, values) -> {
                long[] sorted = Arrays.copyOf(values, samples.count);
                Arrays.sort(sorted);
                lines.add("  %-18s %9d %9d %9d %9d  %s"
                        .formatted(
                                name,
                                percentile(sorted, 50),
                                percentile(sorted, 90),
                                percentile(sorted, 99),
                                sorted[sorted.length - 1],
                                samples.labels.get(name)));
            });
        });
        return lines.isEmpty() ? "nothing was recorded: no requests came\n" : String.join("\n", lines) + "\n";
    }

    /** The smallest value that so many percent of the values do not exceed. */
    static long percentile(long[] sorted, int percent) {
        int at = (int) Math.ceil(percent / 100.0 * sorted.length) - 1;
        return sorted[Math.max(0, at)];
    }
}
