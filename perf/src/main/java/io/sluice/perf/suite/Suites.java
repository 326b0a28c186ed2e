package io.sluice.perf.suite;

import static io.sluice.perf.suite.Shape.partitions;

import io.sluice.perf.machine.ThisMachine;
import io.sluice.perf.workload.Batching;
import io.sluice.perf.workload.Sharing;
import io.sluice.perf.workload.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** All suites. Rates that filled a rack are brought down to what two cores can hold; shapes are kept. */
public final class Suites {
    private static final String FLAT_OUT = "maximum, 100 partitions";
    private static final String STEADY = "20,000/s, 100 partitions";
    private static final int SMALL = 100;
    private static final int LARGE = 10_000;
    /** Time to catch up with a gigabyte; a reader that takes longer counts as never catching up. */
    private static final int DRAIN_SECONDS = 120;

    private static final List<Suite> ALL = List.of(
            overview(),
            pravega(),
            streamNative(),
            sbk(),
            sweep(),
            targets(),
            durability(),
            keys(),
            clients(),
            readers(),
            subscriptions(),
            history());

    private Suites() {}

    public static Optional<Suite> named(String name) {
        return ALL.stream().filter(suite -> suite.name().equals(name)).findFirst();
    }

    public static List<Suite> all() {
        return ALL;
    }

    /** Workloads of the targets that show a regression soonest. */
    public static Suite check() {
        Suite targets = targets();
        return new Suite(
                "check",
                targets.source(),
                targets.workloads().stream()
                        .filter(workload -> workload.name().equals(FLAT_OUT)
                                || workload.name().equals(STEADY))
                        .toList());
    }

    private static Suite overview() {
        return new Suite(
                "overview",
                "Throughput and latency over sizes, partitions and producers, on servers that stay warm",
                List.of(
                        partitions(16).size(SMALL).named("maximum, 16 partitions, 100 B"),
                        partitions(1).size(SMALL).named("maximum, 1 partition, 100 B"),
                        partitions(1).named("maximum, 1 partition, 1 kB"),
                        partitions(100).named("maximum, 100 partitions, 1 kB"),
                        partitions(16).producers(10).named("maximum, 16 partitions, 1 kB, 10 producers"),
                        partitions(1).size(LARGE).named("maximum, 1 partition, 10 kB"),
                        partitions(16).size(LARGE).named("maximum, 16 partitions, 10 kB"),
                        partitions(100).rate(20_000).named("20,000/s, 100 partitions, 1 kB"),
                        partitions(1_000).rate(5_000).named("5,000/s, 1,000 partitions, 1 kB")),
                Course.IN_A_ROW);
    }

    private static Suite pravega() {
        return new Suite(
                "pravega-2020",
                "Pravega blog, October 2020, \"When speeding makes sense\": 1 and 16 segments, events of 100 B and 10 kB",
                List.of(
                        partitions(1).size(SMALL).named("ingest, 1 partition, 100 B"),
                        partitions(16).size(SMALL).named("ingest, 16 partitions, 100 B"),
                        // What an acknowledgement costs when there is time for each: run it beside kafka and
                        // kafka-flush.
                        partitions(1).size(SMALL).rate(10_000).named("durability, 1 partition, 100 B, 10,000/s"),
                        partitions(16).size(SMALL).rate(10_000).named("durability, 16 partitions, 100 B, 10,000/s"),
                        // One rate that wants no batches and one that cannot do without; no knob is touched between.
                        partitions(16).size(SMALL).rate(1_000).named("batching, 16 partitions, 100 B, 1,000/s"),
                        partitions(16).size(SMALL).rate(100_000).named("batching, 16 partitions, 100 B, 100,000/s"),
                        partitions(1).size(LARGE).named("large events, 1 partition, 10 kB"),
                        partitions(16).size(LARGE).named("large events, 16 partitions, 10 kB"),
                        partitions(1).size(SMALL).rate(50_000).named("tail reads, 1 partition, 100 B, 50,000/s"),
                        partitions(16).size(SMALL).rate(50_000).named("tail reads, 16 partitions, 100 B, 50,000/s"),
                        partitions(16)
                                .size(SMALL)
                                .rate(50_000)
                                .withoutKeys()
                                .named("no keys, 16 partitions, 100 B, 50,000/s"),
                        partitions(16)
                                .size(LARGE)
                                .rate(2_000)
                                .backlog(1)
                                .seconds(DRAIN_SECONDS)
                                .named("catch-up, 16 partitions, 10 kB, 1 GB"),
                        // There the one segment is split while the load lasts; here it is the hot partition that
                        // matters.
                        partitions(1).size(LARGE).rate(5_000).named("auto-scaling, 1 hot partition, 10 kB, 50 MB/s")));
    }

    private static Suite streamNative() {
        List<Workload> workloads = new ArrayList<>(List.of(
                partitions(100).clients(2).named("maximum, 100 partitions"),
                partitions(2_000).clients(2).named("maximum, 2,000 partitions"),
                partitions(1).clients(2).named("maximum, 1 partition"),
                partitions(1).named("maximum, 1 partition, 1 producer"),
                partitions(100).rate(20_000).named("latency, 100 partitions, 1 subscription"),
                partitions(100).rate(2_000).subscriptions(10).named("latency, 100 partitions, 10 subscriptions")));
        for (int count : List.of(100, 5_000, 8_000, 10_000)) {
            workloads.add(partitions(count).rate(5_000).named("latency, %,d partitions, 5,000/s".formatted(count)));
        }
        workloads.add(
                partitions(100).rate(10_000).backlog(1).seconds(DRAIN_SECONDS).named("catch-up, 100 partitions, 1 GB"));
        // One subscription reads at the tail from the start, a second starts behind.
        workloads.add(partitions(100)
                .rate(10_000)
                .subscriptions(2)
                .tailSubscriptions(1)
                .backlog(1)
                .seconds(DRAIN_SECONDS)
                .named("mixed, 100 partitions"));
        return new Suite(
                "streamnative-2020",
                "StreamNative, November 2020, \"Benchmarking Pulsar and Kafka\": 1 kB, 500 MB/s there is 20,000/s here",
                workloads);
    }

    private static Suite sbk() {
        List<Workload> workloads = new ArrayList<>();
        for (int producers : List.of(1, 10)) {
            for (int size : List.of(10, 100, 1_000, 10_000, 100_000)) {
                String clients = producers == 1 ? "1 producer" : producers + " producers";
                workloads.add(partitions(1)
                        .size(size)
                        .producers(producers)
                        .withoutKeys()
                        .named("%s, %,d B".formatted(clients, size)));
            }
        }
        return new Suite(
                "sbk-2024",
                "Storage Benchmark Kit: 1 and 10 writers of one topic, 10 B to 100 kB, throughput and percentiles",
                workloads);
    }

    private static Suite sweep() {
        List<Workload> workloads = new ArrayList<>();
        for (int count : List.of(1, 16)) {
            for (Step first :
                    List.of(new Step(SMALL, 25_000), new Step(Shape.KILOBYTE, 10_000), new Step(LARGE, 2_000))) {
                Shape shape =
                        partitions(count).size(first.size()).rate(first.rate()).briefly();
                String name = "%d partition%s, %,d B, ".formatted(count, count == 1 ? "" : "s", first.size());
                workloads.add(shape.named(name + "keyed"));
                workloads.add(shape.withoutKeys().named(name + "no keys"));
            }
        }
        return new Suite(
                "sweep",
                "Latency against throughput: the rate doubles until the system no longer keeps up",
                workloads,
                Course.RISING);
    }

    private static Suite durability() {
        return new Suite(
                "durability",
                "What an acknowledgement waits for: run it beside sluice-2, kafka, kafka-flush, pulsar and pulsar-nosync",
                List.of(
                        partitions(16).named("maximum, 16 partitions, 1 kB"),
                        partitions(16).rate(10_000).named("10,000/s, 16 partitions, 1 kB"),
                        partitions(1).size(SMALL).rate(1_000).named("1,000/s, 1 partition, 100 B")));
    }

    private static Suite keys() {
        return new Suite(
                "keys",
                "What a key costs: the maximum with and without",
                List.of(
                        partitions(16).named("maximum, 16 partitions, keyed"),
                        partitions(16).withoutKeys().named("maximum, 16 partitions, no keys")));
    }

    private static Suite clients() {
        List<Workload> workloads = new ArrayList<>();
        for (Batching batching : Batching.values()) {
            Shape shape = partitions(16).batching(batching);
            workloads.add(shape.named("maximum, 16 partitions, " + batching.text()));
            workloads.add(shape.rate(10_000).named("10,000/s, 16 partitions, " + batching.text()));
        }
        workloads.add(partitions(100)
                .size(SMALL)
                .rate(1_000)
                .producers(500)
                .consumers(50)
                .named("1,000/s of 100 B, 500 producers, 50 consumers"));
        return new Suite("clients", "How clients batch, and many clients with few small events", workloads);
    }

    private static Suite readers() {
        List<Workload> workloads = new ArrayList<>();
        for (int count : List.of(1, 3, 10)) {
            workloads.add(partitions(16)
                    .subscriptions(count)
                    .named("maximum, 16 partitions, %d subscription%s".formatted(count, count == 1 ? "" : "s")));
        }
        workloads.add(partitions(16).consumers(4).named("maximum, 16 partitions, 1 subscription of 4 consumers"));
        return new Suite("readers", "What several readers get, and what they leave the producers", workloads);
    }

    private static Suite subscriptions() {
        return new Suite(
                "subscriptions",
                "Pulsar's shared subscriptions with many consumers, and thousands of small topics",
                List.of(
                        partitions(1)
                                .rate(10_000)
                                .shared(100, Sharing.MESSAGES)
                                .named("10,000/s, 1 topic, 100 consumers, shared"),
                        // A batch has the key of its first record, so there are none.
                        partitions(1)
                                .rate(5_000)
                                .batching(Batching.NONE)
                                .shared(100, Sharing.KEYS)
                                .named("5,000/s, 1 topic, 100 consumers, key-shared"),
                        partitions(1).topics(5_000).rate(5_000).named("5,000/s, 5,000 topics")));
    }

    /** Five quarters of the machine's memory, so that no page cache holds it. */
    private static Suite history() {
        double gigabytes = Math.ceil(1.25 * ThisMachine.memoryBytes() / 1e9);
        return new Suite(
                "history",
                "A backlog larger than the page cache, which is written and read once",
                List.of(partitions(16)
                        .rate(10_000)
                        .backlog(gigabytes)
                        .seconds(1_800)
                        .named("catch-up, 16 partitions, %.0f GB".formatted(gigabytes))));
    }

    /** Where a climb begins: records of so many bytes, so many per second. */
    private record Step(int size, int rate) {}

    private static Suite targets() {
        return new Suite(
                "targets",
                "What this project wants to hold on two cores: 1 kB, keyed",
                List.of(
                        partitions(100).named(FLAT_OUT),
                        partitions(1).named("maximum, 1 partition"),
                        partitions(100).rate(20_000).named(STEADY),
                        // A pair at one rate: the second is held to 1.3 times the first.
                        partitions(100).rate(5_000).named("5,000/s, 100 partitions"),
                        partitions(10_000).rate(5_000).named("5,000/s, 10,000 partitions")));
    }
}
