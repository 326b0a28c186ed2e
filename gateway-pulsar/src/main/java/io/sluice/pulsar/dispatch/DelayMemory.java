package io.sluice.pulsar.dispatch;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Memory for entries whose time has not come, of all subscriptions of a process: counted in entries. The last quarter is for subscriptions
 * with few of them, so that one with many does not take the place of all others. Any thread.
 */
public final class DelayMemory {
    /** Entries up to which a subscription may use the last quarter. */
    static final int FEW = 1_024;

    private final long most;
    private final AtomicLong used = new AtomicLong();

    /** @param most entries, of {@link DelayedEntries#ENTRY_BYTES} each */
    public DelayMemory(long most) {
        this.most = most;
    }

    /** A thirty-second of the heap. */
    public static DelayMemory ofHeap() {
        return new DelayMemory(Runtime.getRuntime().maxMemory() / 32 / DelayedEntries.ENTRY_BYTES);
    }

    /** Takes room for {@code more} entries of a subscription that has room for {@code has}; false if there is none. */
    boolean take(int has, int more) {
        long limit = has + more <= FEW ? most : most - most / 4;
        if (used.addAndGet(more) <= limit) {
            return true;
        }
        used.addAndGet(-more);
        return false;
    }

    void giveBack(int entries) {
        used.addAndGet(-entries);
    }

    /** Entries for which room is taken. */
    public long used() {
        return used.get();
    }
}
