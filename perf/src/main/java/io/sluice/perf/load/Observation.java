package io.sluice.perf.load;

import io.sluice.perf.machine.MachineCpu;
import io.sluice.perf.machine.ServerProcess;
import io.sluice.perf.machine.ThisMachine;
import io.sluice.perf.result.MachineUse;
import io.sluice.perf.result.RunResult.Figures;
import io.sluice.perf.result.RunResult.Second;
import io.sluice.perf.result.Warmth;
import io.sluice.perf.workload.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;

/** The measured time: looks once a second at clients and server, and sums up at the end. */
final class Observation {
    private static final double GB = 1e9;
    /** How exactly the end of a phase is seen. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final Workload workload;
    private final Counts counts;
    private final ServerProcess server;
    private final Consumer<String> progress;
    private final Histogram publish = new Histogram(3);
    private final Histogram endToEnd = new Histogram(3);
    private final List<Second> series = new ArrayList<>();
    private Look before;
    private Look first;
    private Warmth warmth = Warmth.NONE;
    private MachineCpu machine = MachineCpu.now();
    private Map<Long, Long> threads = ThisMachine.threadNanos();
    private long mostResident = -1;

    private record Look(long nanos, long acknowledged, long consumed, double serverCpu, long disk, double clientCpu) {}

    Observation(Workload workload, Counts counts, ServerProcess server, Consumer<String> progress) {
        this.workload = workload;
        this.counts = counts;
        this.server = server;
        this.progress = progress;
        this.before = look();
        this.first = before;
    }

    private Look look() {
        return new Look(
                System.nanoTime(),
                counts.acknowledged(),
                counts.consumed(),
                server.cpuSeconds(),
                server.diskWriteBytes(),
                ThisMachine.cpuSeconds());
    }

    /** Waits for so long without keeping anything, but for the progress line. */
    void pass(String phase, int seconds, BooleanSupplier over) {
        watch(phase, seconds, over, false);
    }

    /** Likewise, with producers going on: what is measured later was warmed by it. */
    void warm(String phase, int seconds, BooleanSupplier over) {
        if (seconds == 0) {
            return;
        }
        Look start = look();
        watch(phase, seconds, over, false);
        Look end = look();
        warmth = warmth.plus(new Warmth((end.nanos - start.nanos) / 1e9, end.acknowledged - start.acknowledged));
    }

    /** Load that the server has had from other runs. */
    void warmedBy(Warmth before) {
        warmth = warmth.plus(before);
    }

    Warmth warmth() {
        return warmth;
    }

    /** The measured time begins now; it ends when it is over, or after so many seconds. */
    void measure(String phase, int seconds, BooleanSupplier over) {
        counts.interval();
        machine = MachineCpu.now();
        threads = ThisMachine.threadNanos();
        first = look();
        before = first;
        watch(phase, seconds, over, true);
    }

    private void watch(String phase, int seconds, BooleanSupplier over, boolean keep) {
        long start = System.nanoTime();
        before = look();
        BooleanSupplier ended = () -> over.getAsBoolean() || counts.failure() != null;
        for (int second = 0; second < seconds && !ended.getAsBoolean(); second++) {
            long end = start + TimeUnit.SECONDS.toNanos(second + 1L);
            for (long left = end - System.nanoTime();
                    left > 0 && !ended.getAsBoolean();
                    left = end - System.nanoTime()) {
                LockSupport.parkNanos(Math.min(left, LOOK_NANOS));
            }
            Second seen = second(second);
            if (keep) {
                series.add(seen);
            }
            progress.accept(line(phase, seen));
        }
    }

    private Second second(int number) {
        Look now = look();
        double seconds = (now.nanos - before.nanos) / 1e9;
        Counts.Interval latencies = counts.interval();
        publish.add(latencies.publish());
        endToEnd.add(latencies.endToEnd());
        long resident = server.residentBytes();
        mostResident = Math.max(mostResident, resident);
        Second second = new Second(
                number,
                Math.round((now.acknowledged - before.acknowledged) / seconds),
                Math.round((now.consumed - before.consumed) / seconds),
                backlog(now),
                Counts.millis(latencies.publish(), 50),
                Counts.millis(latencies.publish(), 99),
                latencies.publish().getMaxValue() / 1e6,
                Counts.millis(latencies.endToEnd(), 99),
                (now.serverCpu - before.serverCpu) / seconds,
                resident,
                now.disk < 0 ? -1 : now.disk - before.disk);
        before = now;
        return second;
    }

    private long backlog(Look now) {
        return Math.max(0, now.acknowledged * workload.subscriptionsPerTopic() - now.consumed);
    }

    private String line(String phase, Second seen) {
        return "%s %3d s  %,9d records/s  %7.1f MB/s  read %,9d/s  backlog %,d  publish p50 %.1f p99 %.1f ms"
                .formatted(
                        phase,
                        seen.second() + 1,
                        seen.published(),
                        seen.published() * (double) workload.messageSize() / 1e6,
                        seen.consumed(),
                        seen.backlog(),
                        seen.publishP50(),
                        seen.publishP99());
    }

    /** Forgets what the warm-up brought; call before {@link #measure}. */
    void forget() {
        counts.interval();
        publish.reset();
        endToEnd.reset();
        mostResident = -1;
    }

    /**
     * @param drainSeconds NaN without a backlog
     * @param drainPerSecond records per second and subscription meanwhile
     */
    Figures figures(double drainSeconds, double drainPerSecond) {
        double seconds = (before.nanos - first.nanos) / 1e9;
        long records = before.acknowledged - first.acknowledged;
        double gigabytes = records * (double) workload.messageSize() / GB;
        double read = (before.consumed - first.consumed) * (double) workload.messageSize() / GB;
        int subscriptions = workload.subscriptionsPerTopic();
        double carried = subscriptions == 0 ? gigabytes : Math.min(gigabytes, read / subscriptions);
        double moved = workload.consumerBacklogSizeGB() > 0 ? read : carried;
        double cpu = before.serverCpu - first.serverCpu;
        return new Figures(
                records / seconds,
                gigabytes * 1000 / seconds,
                (before.consumed - first.consumed) / seconds,
                Counts.latency(publish),
                Counts.latency(endToEnd),
                drainSeconds,
                drainPerSecond,
                cpu,
                moved == 0 ? Double.NaN : cpu / moved,
                mostResident,
                before.disk < 0 ? -1 : before.disk - first.disk,
                before.clientCpu - first.clientCpu,
                counts.failed(),
                use(seconds));
    }

    private MachineUse use(double seconds) {
        MachineCpu now = MachineCpu.now();
        Map<Long, Long> ran = ThisMachine.threadNanos();
        long busiest = ran.entrySet().stream()
                .mapToLong(thread -> thread.getValue() - threads.getOrDefault(thread.getKey(), 0L))
                .max()
                .orElse(0);
        return new MachineUse(
                now.idleSince(machine),
                now.stealSince(machine),
                (before.clientCpu - first.clientCpu) / seconds,
                (before.serverCpu - first.serverCpu) / seconds,
                Runtime.getRuntime().availableProcessors(),
                busiest / 1e9 / seconds);
    }

    List<Second> series() {
        return series;
    }
}
