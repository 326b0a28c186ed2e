package io.sluice.perf.report;

import io.sluice.perf.result.MachineUse;
import io.sluice.perf.result.RunResult;
import io.sluice.perf.result.RunResult.Figures;
import io.sluice.perf.result.RunResult.Latency;
import io.sluice.perf.result.RunResult.Machine;
import io.sluice.perf.result.RunResult.Percentile;
import io.sluice.perf.result.RunResult.Second;
import io.sluice.perf.result.RunResult.Subject;
import io.sluice.perf.result.Warmth;
import io.sluice.perf.workload.Workload;
import io.sluice.perf.workload.Workload.KeyDistributor;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Results of the size and shape real ones have, the same in every run of a test. */
final class SampleResults {
    static final Machine MACHINE =
            new Machine("Intel Xeon Platinum 8481C", 2, 25_191_088_128L, "Linux 6.1 amd64", "25.0.1+8");
    static final String COMMIT = "5cd206732b00c89f4c9e77d6f7a03bd5a2a0c6f1";
    private static final Instant START = Instant.parse("2026-11-20T18:00:00Z");

    /**
     * @param maxRate records of 1 KiB per second it can take
     * @param millis publish p50 at a low rate
     * @param cpu core-seconds per GB
     */
    record System(String name, String protocol, double maxRate, double millis, double cpu, double diskPerByte) {}

    static final List<System> SYSTEMS = List.of(
            new System("sluice", "kafka", 395_000, 0.9, 1.45, 1.06),
            new System("sluice", "pulsar", 372_000, 1.1, 1.9, 1.06),
            new System("kafka", "kafka", 346_000, 1.1, 1.9, 1.01),
            new System("kafka-flush", "kafka", 143_000, 37, 3.7, 1.2),
            new System("pulsar", "pulsar", 186_000, 5.8, 4.5, 2.1),
            new System("pravega", "pravega", 160_000, 6.9, 5.2, 2.6));

    private final Random random = new Random(42);
    private int started;

    private SampleResults() {}

    /** Three workloads and a sweep, three rounds each; one run failed. */
    static List<RunResult> all() {
        var samples = new SampleResults();
        List<RunResult> results = new ArrayList<>();
        for (int round = 1; round <= 3; round++) {
            for (System system : SYSTEMS) {
                results.add(
                        samples.result("streamnative-2020", round, system, workload("max-100-partitions", 100, 0, 0)));
                results.add(samples.result(
                        "streamnative-2020", round, system, workload("publish-latency", 100, 20_000, 0)));
                results.add(samples.result("streamnative-2020", round, system, workload("catch-up", 16, 10_000, 3)));
                for (int rate : new int[] {10_000, 50_000, 100_000, 150_000, 200_000, 300_000, 400_000}) {
                    results.add(samples.result("sweep", round, system, workload("sweep-" + rate, 16, rate, 0)));
                }
            }
        }
        RunResult last = results.removeLast();
        results.add(withFailure(last, "the server answered \"no space\" <0 bytes> & stopped"));
        return results;
    }

    /** Rates that double, one round. */
    static List<RunResult> climb() {
        var samples = new SampleResults();
        List<RunResult> results = new ArrayList<>();
        for (System system : SYSTEMS) {
            for (int rate = 10_000; rate <= 160_000; rate *= 2) {
                results.add(samples.result("sweep", 1, system, workload("step-" + rate, 16, rate, 0)));
            }
        }
        return results;
    }

    static Workload workload(String name, int partitions, int rate, double backlogGB) {
        return new Workload(name, 1, partitions, 1024, 1, 1, 1, rate, KeyDistributor.RANDOM_NANO, backlogGB, 15, 60);
    }

    RunResult result(String suite, int round, System system, Workload workload) {
        double noise = 0.97 + random.nextDouble() * 0.06;
        double offered = workload.producerRate() == 0 ? 10 * system.maxRate() : workload.producerRate();
        double achieved = Math.min(offered, system.maxRate() * noise);
        double load = Math.min(0.985, achieved / (system.maxRate() * 1.05));
        double p50 = system.millis() * noise / (1 - load) * (offered > achieved * 1.02 ? 12 : 1);
        long count = (long) (achieved * workload.testDurationSeconds());
        double backlog = workload.consumerBacklogSizeGB() * 1e9 / workload.messageSize();
        double readRate = 1.9 * system.maxRate() * noise;
        var figures = new Figures(
                achieved,
                achieved * workload.messageSize() / 1e6,
                achieved,
                latency(count, p50),
                latency(count, p50 * 1.3 + 0.6),
                backlog > 0 ? backlog / readRate : Double.NaN,
                backlog > 0 ? readRate : Double.NaN,
                system.cpu() * noise * count * workload.messageSize() / 1e9,
                system.cpu() * noise,
                (long) (1.1e9 * noise),
                (long) (system.diskPerByte() * noise * count * workload.messageSize()),
                60,
                0,
                new MachineUse(0.02, 0.01, 1.2, 0.7, 2, 0.6));
        return new RunResult(
                suite,
                round,
                START.plusSeconds(90L * started++),
                MACHINE,
                COMMIT,
                new Subject(system.name(), system.protocol(), "4.4.0", settings(system)),
                workload,
                new Warmth(60, 60 * (long) achieved),
                figures,
                series(system, workload, achieved, p50, backlog, readRate),
                null);
    }

    private Latency latency(long count, double p50) {
        List<Percentile> curve = new ArrayList<>();
        for (double rest = 100; rest >= 100.0 / count; rest /= 1.4) {
            curve.add(new Percentile(100 - rest, at(p50, 100 - rest)));
        }
        curve.add(new Percentile(100, at(p50, 100 - 50.0 / count)));
        return new Latency(count, p50, at(p50, 95), at(p50, 99), at(p50, 99.9), at(p50, 100 - 50.0 / count), curve);
    }

    private static double at(double p50, double percentile) {
        return p50 * (0.35 + 0.95 * Math.pow(-Math.log10(1 - percentile / 100), 1.7) + percentile / 250);
    }

    private List<Second> series(
            System system, Workload workload, double rate, double p50, double backlog, double readRate) {
        List<Second> series = new ArrayList<>();
        double waiting = backlog;
        for (int second = 0; second < workload.testDurationSeconds(); second++) {
            double published = rate * (0.95 + random.nextDouble() * 0.1);
            waiting = Math.max(published * 0.02, waiting + published - (backlog > 0 ? readRate : published));
            double tail = at(p50, 99) * (0.7 + random.nextDouble() * 0.6) * (second % 23 == 11 ? 6 : 1);
            series.add(new Second(
                    second,
                    (long) published,
                    (long) published,
                    (long) waiting,
                    p50,
                    tail,
                    tail * 3,
                    tail * 1.4,
                    system.cpu() * rate * workload.messageSize() / 1e9 * (0.9 + random.nextDouble() * 0.2),
                    (long) (0.6e9 + 4e6 * second * (1 + random.nextDouble() * 0.1)),
                    (long) (rate * workload.messageSize())));
        }
        return series;
    }

    private static Map<String, String> settings(System system) {
        return switch (system.name()) {
            case "sluice" -> Map.of("memory", "2g", "journal sync", "true", "client batching", "defaults");
            case "kafka-flush" ->
                Map.of("heap", "-Xmx2g", "log.flush.interval.messages", "1", "client batching", "defaults");
            case "pulsar" -> Map.of("heap", "-Xmx2g", "journalSyncData", "true", "client batching", "defaults");
            default -> Map.of("heap", "-Xmx2g", "client batching", "defaults");
        };
    }

    static RunResult withFailure(RunResult result, @Nullable String failure) {
        var none = new Latency(0, Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN, List.of());
        return with(
                result,
                new Figures(
                        Double.NaN,
                        Double.NaN,
                        Double.NaN,
                        none,
                        none,
                        Double.NaN,
                        Double.NaN,
                        Double.NaN,
                        Double.NaN,
                        -1,
                        -1,
                        Double.NaN,
                        0,
                        MachineUse.UNKNOWN),
                List.of(),
                failure);
    }

    static RunResult with(RunResult result, Figures figures, List<Second> series, @Nullable String failure) {
        return new RunResult(
                result.suite(),
                result.round(),
                result.started(),
                result.machine(),
                result.commit(),
                result.subject(),
                result.workload(),
                result.warmth(),
                figures,
                series,
                failure);
    }

    static RunResult of(RunResult result, Subject subject) {
        return new RunResult(
                result.suite(),
                result.round(),
                result.started(),
                result.machine(),
                result.commit(),
                subject,
                result.workload(),
                result.warmth(),
                result.figures(),
                result.series(),
                result.failure());
    }

    /** The same figures a day later. */
    static RunResult atCommit(RunResult result, String commit) {
        return new RunResult(
                result.suite(),
                result.round(),
                result.started().plusSeconds(86_400),
                result.machine(),
                commit,
                result.subject(),
                result.workload(),
                result.warmth(),
                result.figures(),
                result.series(),
                result.failure());
    }

    /** One workload, three rounds, of two systems, whose results take turns. */
    static List<RunResult> pair(double sluiceRate, double kafkaRate) {
        var samples = new SampleResults();
        var workload = workload("small", 1, 0, 0);
        return IntStream.rangeClosed(1, 3)
                .boxed()
                .flatMap(round -> Stream.of(
                        samples.result("small", round, new System("sluice", "kafka", sluiceRate, 1, 1, 1), workload),
                        samples.result("small", round, new System("kafka", "kafka", kafkaRate, 1, 1, 1), workload)))
                .toList();
    }
}
