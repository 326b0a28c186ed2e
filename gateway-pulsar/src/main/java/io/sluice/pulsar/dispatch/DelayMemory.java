package io.sluice.pulsar.dispatch;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Memory for entries whose time has not come, of all partitions of a process: counted in entries, and in bytes of the bitmaps that name
 * them. The last quarter of the entries is for those with few, so that one partition with many does not take the place of all others. Any
 * thread.
 */
public final class DelayMemory {
    /** Entries up to which a heap may use the last quarter. */
    static final int FEW = 1_024;

    private final long mostEntries;
    private final long mostBitmapBytes;
    private final AtomicLong entries = new AtomicLong();
    private final AtomicLong bitmapBytes = new AtomicLong();

    /** @param mostEntries of {@link DelayHeap#ENTRY_BYTES} each */
    public DelayMemory(long mostEntries, long mostBitmapBytes) {
        this.mostEntries = mostEntries;
        this.mostBitmapBytes = mostBitmapBytes;
    }

    /** A thirty-second of the heap for entries, half as much for bitmaps. */
    public static DelayMemory ofHeap() {
        long share = Runtime.getRuntime().maxMemory() / 32;
        return new DelayMemory(share / DelayHeap.ENTRY_BYTES, share / 2);
    }

    /** Takes room for {@code more} entries of a heap that has room for {@code has}; false if there is none. */
    boolean take(int has, int more) {
        long limit = has + more <= FEW ? mostEntries : mostEntries - mostEntries / 4;
        if (entries.addAndGet(more) <= limit) {
            return true;
        }
        entries.addAndGet(-more);
        return false;
    }

    void giveBack(int room) {
        entries.addAndGet(-room);
    }

    /** Bitmaps take so much more, or less; false if they take more than they may. */
    boolean changeBitmaps(long bytes) {
        return bitmapBytes.addAndGet(bytes) <= mostBitmapBytes;
    }

    /** Entries for which room is taken. */
    public long used() {
        return entries.get();
    }

    /** Bytes that bitmaps take, about. */
    long bitmapBytes() {
        return bitmapBytes.get();
    }
}
