package io.sluice.transactions;

import java.util.function.LongSupplier;

/** The term for which a shard was loaded: its epoch, its clock, and whether it is over. Any thread. */
final class ShardTerm {
    private final int epoch;
    private final LongSupplier clock;
    private volatile boolean over;

    /**
     * @param epoch of the coordinator, as markers carry it
     * @param clock milliseconds since the epoch
     */
    ShardTerm(int epoch, LongSupplier clock) {
        this.epoch = epoch;
        this.clock = clock;
    }

    int epoch() {
        return epoch;
    }

    long now() {
        return clock.getAsLong();
    }

    boolean isOver() {
        return over;
    }

    /** Again is a no-op. */
    void end() {
        over = true;
    }
}
