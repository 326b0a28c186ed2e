package io.sluice.pulsar.dispatch;

/** One chunk of a message that was too large for one entry. */
final class DeliveredChunk extends Delivered {
    /** Of the message; equal for all its chunks, and hardly ever for those of another. */
    final int message;

    /** Whether the message begins with it. */
    final boolean first;

    DeliveredChunk(long base, int hash, int unacked, int message, boolean first) {
        super(base, 1, hash, unacked);
        this.message = message;
        this.first = first;
    }
}
