package io.sluice.pulsar.dispatch;

import org.jspecify.annotations.Nullable;

/** An entry that left the log and is not acknowledged: with a consumer, or (no owner) waiting to be sent again. */
sealed class Delivered permits DeliveredChunk {
    final long base;
    final int offsets;
    /** See {@link io.sluice.pulsar.format.StoredEntry#stickyHash}; 0 where keys do not matter. */
    final int hash;

    @Nullable
    Consumer owner;

    /** Messages of the entry not acknowledged. */
    int unacked;

    int redelivered;

    Delivered(long base, int offsets, int hash, int unacked) {
        this.base = base;
        this.offsets = offsets;
        this.hash = hash;
        this.unacked = unacked;
    }

    long last() {
        return base + offsets - 1;
    }
}
