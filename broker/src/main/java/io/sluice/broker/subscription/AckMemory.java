package io.sluice.broker.subscription;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Memory for what all subscriptions have acknowledged out of order. The last quarter is for those that take little, so that one
 * with many gaps does not keep the others from acknowledging. Any thread, but for {@link Share}.
 */
public final class AckMemory {
    /** Size below which a subscription takes little, in bytes: some 60,000 gaps among neighbours. */
    static final int LITTLE = 16 << 10;

    /** Sizes are counted in multiples of it: few changes touch what all threads share. */
    private static final int GRAIN = 256;

    /** A million gaps among neighbours take a quarter of a MiB. */
    private static final int PART_OF_HEAP = 16;

    private final long limit;
    private final AtomicLong used = new AtomicLong();

    /** @param limit bytes that all may take together */
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

    /** Bytes that all take. */
    long used() {
        return used.get();
    }

    /** Memory of one subscription. Loop only. */
    final class Share {
        private long taken;
        private boolean closed;

        /** Whether it should not become larger. */
        boolean isFull() {
            return used.get() >= (taken < LITTLE ? limit : limit - limit / 4);
        }

        /** It takes {@code bytes} now. */
        void resize(long bytes) {
            long counted = closed ? 0 : (bytes + GRAIN - 1) / GRAIN * GRAIN;
            if (counted != taken) {
                used.addAndGet(counted - taken);
                taken = counted;
            }
        }

        void close() {
            closed = true;
            resize(0);
        }
    }
}
