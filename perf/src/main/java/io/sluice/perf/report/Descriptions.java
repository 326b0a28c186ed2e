package io.sluice.perf.report;

import io.sluice.perf.report.MeasuredSystem.Origin;
import io.sluice.perf.workload.Workload;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;

/** Workloads, machines and times in words. */
final class Descriptions {
    private static final DateTimeFormatter MINUTE =
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm 'UTC'").withZone(ZoneOffset.UTC);

    private Descriptions() {}

    static String minute(Instant time) {
        return MINUTE.format(time);
    }

    /** "16 partitions · 1 kB · 20 k/s". */
    static String briefly(Workload workload) {
        List<String> parts = new ArrayList<>(shape(workload));
        parts.add(rate(workload));
        if (workload.consumerBacklogSizeGB() > 0) {
            parts.add("backlog " + Numbers.plain(workload.consumerBacklogSizeGB()) + " GB"
                    + (workload.tailSubscriptions() > 0 ? " beside tail readers" : ""));
        }
        return String.join(" · ", parts);
    }

    static String fully(Workload workload) {
        List<String> parts = new ArrayList<>(List.of(briefly(workload)));
        parts.add(count(workload.producersPerTopic(), "producer") + " per topic");
        parts.add(count(workload.subscriptionsPerTopic(), "subscription") + " of "
                + count(workload.consumerPerSubscription(), "consumer"));
        parts.add(keys(workload));
        parts.add(workload.batching().text());
        parts.add(workload.testDurationSeconds() + " s after " + workload.warmupDurationSeconds() + " s warm-up");
        return String.join(" · ", parts);
    }

    /** Description of a sweep without its rate, which rises. */
    static String withoutRate(Workload workload) {
        List<String> parts = new ArrayList<>(shape(workload));
        parts.add(keys(workload));
        if (workload.subscriptionsPerTopic() != 1) {
            parts.add(count(workload.subscriptionsPerTopic(), "subscription"));
        }
        return String.join(" · ", parts);
    }

    private static String keys(Workload workload) {
        return switch (workload.keyDistributor()) {
            case NO_KEY -> "no keys";
            case KEY_ROUND_ROBIN -> "keys in turn";
            case RANDOM_NANO -> "random keys";
        };
    }

    private static List<String> shape(Workload workload) {
        String partitions = count(workload.partitionsPerTopic(), "partition");
        return List.of(
                workload.topics() == 1 ? partitions : count(workload.topics(), "topic") + " × " + partitions,
                size(workload.messageSize()));
    }

    private static String rate(Workload workload) {
        return workload.producerRate() == 0 ? "flat out" : Numbers.plain(workload.producerRate()) + "/s";
    }

    private static String size(int bytes) {
        return bytes < 1000
                ? bytes + " B"
                : bytes % 1024 == 0 ? Numbers.plain(bytes / 1024.0) + " KiB" : Numbers.plain(bytes / 1e3) + " kB";
    }

    static String machine(Origin origin) {
        var machine = origin.machine();
        return String.join(
                " · ",
                machine.cpu(),
                count(machine.cores(), "core"),
                Numbers.ofKnown(machine.memoryBytes(), 1e9) + " GB memory",
                machine.os(),
                "JDK " + machine.jdk());
    }

    static String count(int count, String noun) {
        return Numbers.exact(count) + " " + noun + (count == 1 ? "" : "s");
    }
}
