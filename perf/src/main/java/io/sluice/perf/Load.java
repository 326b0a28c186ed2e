package io.sluice.perf;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * An open loop: record n is due at start + n / rate whatever the server does, and its latency counts from when it was due. At
 * rate 0 the client's own buffer is the only brake.
 */
final class Load {
    private static final int KEYS = 10_000;
    private static final long MAX_LATENCY_NANOS = TimeUnit.MINUTES.toNanos(5);

    private final Workload workload;
    private final Target target;
    private final ServerProcess server;
    private final Recorder publish = new Recorder(MAX_LATENCY_NANOS, 3);
    private final Recorder endToEnd = new Recorder(MAX_LATENCY_NANOS, 3);
    private final LongAdder acknowledged = new LongAdder();
    private final LongAdder consumed = new LongAdder();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    /**
     * What to do.
     *
     * @param size bytes per record
     * @param rate records per second, 0 for as many as possible
     * @param seconds measured time
     * @param warmUp seconds before it
     */
    record Workload(int partitions, int size, int rate, int seconds, int warmUp) {}

    Load(Workload workload, Target target, ServerProcess server) {
        this.workload = workload;
        this.target = target;
        this.server = server;
    }

    /** Runs and returns one line of JSON. */
    String run() throws Exception {
        target.open("load-" + Long.toString(System.nanoTime(), 36), workload.partitions);
        target.consume(due -> {
            endToEnd.recordValue(Math.min(MAX_LATENCY_NANOS, Math.max(0, System.nanoTime() - due)));
            consumed.increment();
        });
        produce(workload.warmUp);
        publish.reset();
        endToEnd.reset();
        Snapshot before = snapshot();
        produce(workload.seconds);
        Snapshot after = snapshot();
        target.flush();
        Throwable failed = failure.get();
        if (failed != null) {
            throw new IllegalStateException("a record was not acknowledged", failed);
        }
        return report(before, after);
    }

    private record Snapshot(long nanos, long acknowledged, long consumed, double cpu) {}

    private Snapshot snapshot() {
        return new Snapshot(System.nanoTime(), acknowledged.sum(), consumed.sum(), server.cpuSeconds());
    }

    private void produce(int seconds) {
        var random = new Random(seconds);
        byte[][] keys = new byte[KEYS][];
        for (int key = 0; key < KEYS; key++) {
            keys[key] = Integer.toString(key).getBytes(StandardCharsets.UTF_8);
        }
        byte[] template = new byte[Math.max(8, workload.size)];
        random.nextBytes(template);
        long start = System.nanoTime();
        long end = start + TimeUnit.SECONDS.toNanos(seconds);
        for (long n = 0; failure.get() == null; n++) {
            long due = workload.rate == 0 ? System.nanoTime() : start + (long) (n * 1e9 / workload.rate);
            if (due >= end) {
                return;
            }
            await(due);
            byte[] value = template.clone();
            ByteBuffer.wrap(value).putLong(due);
            target.send(keys[random.nextInt(KEYS)], value, () -> acknowledged(due), failure::set);
        }
    }

    private static void await(long due) {
        for (long wait = due - System.nanoTime(); wait > 0; wait = due - System.nanoTime()) {
            LockSupport.parkNanos(wait);
        }
    }

    private void acknowledged(long due) {
        publish.recordValue(Math.min(MAX_LATENCY_NANOS, System.nanoTime() - due));
        acknowledged.increment();
    }

    private String report(Snapshot before, Snapshot after) {
        double seconds = (after.nanos - before.nanos) / 1e9;
        long records = after.acknowledged - before.acknowledged;
        double gigabytes = (double) records * workload.size / 1e9;
        return ("{\"partitions\": %d, \"size\": %d, \"rate\": %d, \"records/s\": %.0f, \"MB/s\": %.1f, \"consumed/s\": %.0f, "
                        + "\"publish ms\": %s, \"end-to-end ms\": %s, \"server core-s/GB\": %.2f, \"server MiB\": %.0f}")
                .formatted(
                        workload.partitions,
                        workload.size,
                        workload.rate,
                        records / seconds,
                        gigabytes * 1000 / seconds,
                        (after.consumed - before.consumed) / seconds,
                        percentiles(publish.getIntervalHistogram()),
                        percentiles(endToEnd.getIntervalHistogram()),
                        (after.cpu - before.cpu) / gigabytes,
                        server.residentMebibytes());
    }

    private static String percentiles(Histogram histogram) {
        return "{\"p50\": %.2f, \"p99\": %.2f, \"p99.9\": %.2f, \"max\": %.1f}"
                .formatted(
                        histogram.getValueAtPercentile(50) / 1e6,
                        histogram.getValueAtPercentile(99) / 1e6,
                        histogram.getValueAtPercentile(99.9) / 1e6,
                        histogram.getMaxValue() / 1e6);
    }
}
