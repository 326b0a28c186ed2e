package io.sluice.kafka.fetch;

import java.util.concurrent.atomic.AtomicLong;

/** Bounds the heap of fetches that wait for data, and of what sessions watch, of all clients together. Any thread. */
public final class FetchWaits {
    /** Heap of one partition that is waited for, also if it is not made yet: 140 were measured. */
    static final int PARTITION_BYTES = 160;

    private final long limit;
    private final AtomicLong held = new AtomicLong();

    /** @param limit bytes; fetches beyond it wait without being told of new data, see {@link FetchOperation} */
    public FetchWaits(long limit) {
        this.limit = limit;
    }

    /** False if there is no room for a fetch of so many partitions; else {@link #giveBack} must follow. */
    boolean take(int partitions) {
        long bytes = (long) partitions * PARTITION_BYTES;
        if (held.addAndGet(bytes) <= limit) {
            return true;
        }
        held.addAndGet(-bytes);
        return false;
    }

    void giveBack(int partitions) {
        held.addAndGet((long) -partitions * PARTITION_BYTES);
    }

    /** Bytes taken now. */
    public long used() {
        return held.get();
    }

    public long limit() {
        return limit;
    }
}
