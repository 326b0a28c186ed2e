package io.sluice.perf.moving;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * How long writers wait for their receipts while something is done. Receipts come on any thread, one thread opens and closes
 * windows. Times in nanoseconds.
 */
final class Waits {
    private final AtomicReference<@Nullable Window> open = new AtomicReference<>();

    private static final class Window {
        /** Only these count. */
        final int from;

        final int to;
        final AtomicLong longest = new AtomicLong();
        final AtomicLong receipts = new AtomicLong();

        Window(int from, int to) {
            this.from = from;
            this.to = to;
        }
    }

    /** From now on receipts of the partitions from {@code from} to before {@code to} count, also of what was sent before. */
    void open(int from, int to) {
        open.set(new Window(from, to));
    }

    /** A record of this partition that was sent at {@code sent} has its receipt. */
    void receipt(int partition, long sent, long now) {
        Window window = open.get();
        if (window != null && partition >= window.from && partition < window.to) {
            window.receipts.incrementAndGet();
            window.longest.accumulateAndGet(now - sent, Math::max);
        }
    }

    /**
     * The longest wait since {@link #open}.
     *
     * @throws IllegalStateException nothing was open, or no receipt came: it cannot be said how long writers waited
     */
    long close() {
        Window window = open.getAndSet(null);
        if (window == null || window.receipts.get() == 0) {
            throw new IllegalStateException("no record was acknowledged meanwhile");
        }
        return window.longest.get();
    }
}
