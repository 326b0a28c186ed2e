package io.sluice.testing.fuzz;

import io.sluice.testing.CountingLeakDetector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs rounds until the time is over or the requests are sent, and fails with the seeds of what went wrong, each with the line
 * that repeats it.
 */
public final class FuzzRun {
    /** After so many failures there is enough to look at. */
    private static final int MAX_FAILURES = Integer.getInteger("sluice.fuzz.failures", 5);
    /** What is left of all rounds after a collection, over what was left of the first. */
    private static final long MAX_HEAP_GROWTH = 48L << 20;

    private final String module;
    private final String test;
    private final List<String> tolerated;
    private final FuzzedServer.Opener opener;
    private final FuzzOptions options = FuzzOptions.fromProperties();
    private final List<String> failures = new ArrayList<>();
    private long heapAfterFirst;

    /**
     * @param module whose test it is, and {@code test} its class: for the line that repeats a failure
     * @param tolerated parts of what libraries log, with a stack trace, for bad input that they answer
     * @param opener of one round's server
     */
    public FuzzRun(String module, String test, List<String> tolerated, FuzzedServer.Opener opener) {
        this.module = module;
        this.test = test;
        this.tolerated = tolerated;
        this.opener = opener;
    }

    /** @throws AssertionError something went wrong */
    public void run() {
        long begin = System.nanoTime();
        long end = begin + options.time().toNanos();
        long sent = 0;
        try (WatchedLog log = new WatchedLog(tolerated)) {
            for (long seed = options.firstSeed(); goesOn(seed, sent, end); seed++) {
                FuzzRound round = new FuzzRound(seed, options, log, end);
                sent += round.run(opener);
                round.failures().forEach(this::add);
                checkHeap(seed);
                report(round, seed, sent, Duration.ofNanos(System.nanoTime() - begin));
            }
        }
        if (!failures.isEmpty()) {
            throw new AssertionError(String.join("\n", failures));
        }
    }

    private boolean goesOn(long seed, long sent, long end) {
        boolean more = options.oneRound()
                ? seed == options.firstSeed()
                : System.nanoTime() < end && (options.requests() == 0 || sent < options.requests());
        return more && failures.size() < MAX_FAILURES;
    }

    private void add(FuzzRound.Failure failure) {
        failures.add(failure.what() + "\n  replay: ./mvnw -pl " + module + " -am test -Dtest=" + test
                + " -Dsurefire.failIfNoSpecifiedTests=false -Dsluice.fuzz.seed=" + failure.seed()
                + (failure.sequence() < 0 ? "" : " -Dsluice.fuzz.sequence=" + failure.sequence()));
        System.err.println(failures.getLast());
    }

    private void checkHeap(long seed) {
        long used = Heap.used();
        if (heapAfterFirst == 0) {
            heapAfterFirst = used;
        } else if (used - heapAfterFirst > MAX_HEAP_GROWTH) {
            add(new FuzzRound.Failure(
                    seed,
                    -1,
                    "the heap grew from " + (heapAfterFirst >> 20) + " to " + (used >> 20) + " MiB over the rounds"));
        }
    }

    private void report(FuzzRound round, long seed, long sent, Duration time) {
        System.err.printf(
                "fuzz %s: seed %d done, %d requests, %d a second, %d failures, %d buffers in use, %d KiB kept%n",
                test,
                seed,
                sent,
                sent * 1000 / Math.max(1, time.toMillis()),
                failures.size(),
                CountingLeakDetector.buffersInUse(),
                round.heapGrowth() >> 10);
    }
}
