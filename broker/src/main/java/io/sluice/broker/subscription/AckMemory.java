package io.sluice.broker.subscription;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Memory for what subscriptions acknowledge out of order. Each has a little of its own; what it needs beyond that comes out of
 * a budget that all share. Any thread, but for {@link Share}.
 */
public final class AckMemory {
    /** Of each subscription, in bytes, whatever the others have: some 60,000 gaps among neighbours. */
    static final int OWN = 16 << 10;

    private static final int GRAIN = 4 << 10;

    /** A million gaps among neighbours take a quarter of a MiB. */
    private static final int PART_OF_HEAP = 16;

    private final long limit;
    private final AtomicLong used = new AtomicLong();

    /** @param limit bytes that all may take together beyond what each has */
    public AckMemory(long limit) {
        this.limit = limit;
    }

    /** A sixteenth of the heap. */
    public static AckMemory ofHeap() {
        return new AckMemory(Runtime.getRuntime().maxMemory() / PART_OF_HEAP);
    }

    Share open() {
        return new Share();
    }

    /** Bytes taken out of the budget. */
    long used() {
        return used.get();
    }

    /** What one subscription takes. Loop only. */
    final class Share {
        private long taken;
        private boolean closed;

        /** Whether it should not become larger. */
        boolean isFull() {
            return taken > 0 && used.get() >= limit;
        }

        /** It takes {@code bytes} now. */
        void resize(long bytes) {
            long beyond = closed || bytes <= OWN ? 0 : (bytes - OWN + GRAIN - 1) / GRAIN * GRAIN;
            if (beyond != taken) {
                used.addAndGet(beyond - taken);
                taken = beyond;
            }
        }

        void close() {
            closed = true;
            resize(0);
        }
    }
}
