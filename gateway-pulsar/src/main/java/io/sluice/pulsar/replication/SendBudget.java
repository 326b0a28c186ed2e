package io.sluice.pulsar.replication;

/** Bytes that all replicators to one cluster together hold in memory, read and not acknowledged there. Any thread. */
final class SendBudget {
    private final long most;
    private long used;

    /** @param most bytes */
    SendBudget(long most) {
        this.most = most;
    }

    /** Takes bytes, waiting until they are there; more than there are at all are given when nothing else is in use. */
    synchronized void take(long bytes) throws InterruptedException {
        while (used > 0 && used + bytes > most) {
            wait();
        }
        used += bytes;
    }

    /** Takes more than was asked for before: one entry may be larger than what was taken for it. */
    synchronized void takeMore(long bytes) {
        used += bytes;
    }

    synchronized void give(long bytes) {
        used -= bytes;
        notifyAll();
    }
}
