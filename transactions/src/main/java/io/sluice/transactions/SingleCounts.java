package io.sluice.transactions;

import java.util.concurrent.atomic.LongAdder;

/** What became of single transactions since the start. Any thread. */
public final class SingleCounts {
    private final LongAdder begun = new LongAdder();
    private final LongAdder committed = new LongAdder();
    private final LongAdder aborted = new LongAdder();

    void begin() {
        begun.increment();
    }

    /** Its outcome is durable. */
    void end(boolean commit) {
        (commit ? committed : aborted).increment();
    }

    public long begun() {
        return begun.sum();
    }

    public long committed() {
        return committed.sum();
    }

    /** By clients, and because they were open for too long. */
    public long aborted() {
        return aborted.sum();
    }
}
