package io.sluice.testing.fuzz;

import io.netty.buffer.ByteBufAllocator;
import io.sluice.testing.CountingLeakDetector;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/**
 * One server, the sequences of one seed against it, and a neighbour all along; then everything has to be as before.
 */
final class FuzzRound {
    private static final int SEQUENCES = 1_000;
    private static final int WORKERS = 2;
    /** What about ten thousand requests may leave behind: what they stored, and names they made up. */
    private static final long MAX_HEAP_GROWTH = 64L << 20;

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** @param sequence -1 if it is not known which one it was */
    record Failure(long seed, int sequence, String what) {}

    private final long seed;
    private final FuzzOptions options;
    private final WatchedLog log;
    private final long end;
    private final List<Failure> failures = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicLong sent = new AtomicLong();
    private volatile boolean over;
    private long heapGrowth;

    /** @param end no sequence is begun after it, as of {@link System#nanoTime} */
    FuzzRound(long seed, FuzzOptions options, WatchedLog log, long end) {
        this.seed = seed;
        this.options = options;
        this.log = log;
        this.end = end;
    }

    List<Failure> failures() {
        return failures;
    }

    /** What the server kept when its clients were gone, in bytes. */
    long heapGrowth() {
        return heapGrowth;
    }

    /** @return requests sent */
    long run(FuzzedServer.Opener opener) {
        long heapBefore = Heap.used();
        long buffersBefore = CountingLeakDetector.buffersInUse();
        try (FuzzedServer server = opener.open(seed)) {
            Thread neighbour = Thread.ofPlatform().name("neighbour").start(() -> keepTrying(server));
            List<Thread> workers = new ArrayList<>();
            for (int i = 0; i < WORKERS; i++) {
                workers.add(Thread.ofPlatform().name("fuzzer-" + i).start(() -> work(server)));
            }
            for (Thread worker : workers) {
                worker.join();
            }
            over = true;
            neighbour.join();
            server.neighbourLeaves();
            await("a connection is still open", () -> server.openConnections() == 0);
            await("requests hold memory", () -> server.requestMemoryUsed() == 0);
            heapGrowth = Heap.used() - heapBefore;
            if (heapGrowth > MAX_HEAP_GROWTH) {
                throw new AssertionError("the server keeps " + (heapGrowth >> 20) + " MiB when its clients are gone");
            }
        } catch (Exception | AssertionError e) {
            fail(-1, e);
        }
        if (failures.isEmpty()) {
            await("buffers are not released", () -> CountingLeakDetector.buffersInUse() <= buffersBefore);
        }
        ByteBufAllocator.DEFAULT.buffer(16).release(); // the detector looks whenever a buffer is made
        CountingLeakDetector.drain().forEach(leak -> failures.add(new Failure(seed, -1, leak)));
        checkLog(-1);
        return sent.get();
    }

    private void work(FuzzedServer server) {
        while (!over && System.nanoTime() < end && failures.isEmpty()) {
            int sequence = options.sequence() < 0 ? next.getAndIncrement() : options.sequence();
            if (sequence >= SEQUENCES || options.sequence() >= 0 && next.getAndIncrement() > 0) {
                return;
            }
            try {
                sent.addAndGet(server.play(seedOf(sequence)));
            } catch (Exception | AssertionError e) {
                fail(sequence, e);
            }
            checkLog(sequence);
        }
    }

    /** Those of neighbouring rounds have nothing in common. */
    private long seedOf(int sequence) {
        long mixed = (seed * SEQUENCES + sequence) * 0x9e3779b97f4a7c15L;
        return mixed ^ (mixed >>> 29);
    }

    private void keepTrying(FuzzedServer server) {
        try {
            while (!over) {
                server.neighbour();
            }
        } catch (Exception | AssertionError e) {
            over = true;
            fail(-1, new AssertionError("the neighbour was disturbed", e));
        }
    }

    private void checkLog(int sequence) {
        log.drain()
                .forEach(problem -> failures.add(new Failure(
                        seed,
                        sequence,
                        "seed " + seed + ", sequence " + sequence + " or one beside it: in the log: " + problem)));
    }

    private void await(String what, BooleanSupplier condition) {
        try {
            Awaitility.await().pollDelay(Duration.ZERO).atMost(PATIENCE).until(condition::getAsBoolean);
        } catch (ConditionTimeoutException e) {
            fail(-1, new AssertionError(what + " after the round"));
        }
    }

    private void fail(int sequence, Throwable e) {
        StringWriter trace = new StringWriter();
        e.printStackTrace(new PrintWriter(trace));
        failures.add(new Failure(seed, sequence, "seed " + seed + ", sequence " + sequence + ": " + trace));
    }
}
