package io.sluice.pulsar.dispatch;

import java.util.Arrays;
import java.util.function.LongPredicate;

/**
 * Entries of a subscription that were read and whose time to be delivered has not come, the earliest first: a binary heap in arrays, of
 * {@link #ENTRY_BYTES} an entry.
 *
 * <p>Bounded by {@link DelayMemory}. What finds no room is not kept, but that it is there is: the log is read {@link #scanAt again} from the
 * first such entry when the earliest of them is due, at most once in {@link #SCAN_PAUSE_MILLIS}. So nothing is lost, and nothing that is
 * not delayed waits; delayed entries beyond the bound come late by that and by what the reading takes. Loop only; times are in milliseconds
 * since the epoch.
 */
final class DelayedEntries {
    /** Bytes of an entry here. */
    static final int ENTRY_BYTES = 2 * Long.BYTES + Integer.BYTES;

    static final long SCAN_PAUSE_MILLIS = 10_000;

    private static final int FIRST_ROOM = 16;

    /** Offsets that may lie between two entries that are read together. */
    private static final int TOGETHER = 64;

    private static final long NEVER = Long.MAX_VALUE;

    private final DelayMemory memory;

    private long[] due = {};
    private long[] bases = {};
    private int[] offsets = {};
    private int size;
    private long messages;

    /** First offset of an entry for which there was no room; {@link #NEVER} if there is none. */
    private long left = NEVER;

    /** When the earliest of those is due. */
    private long leftDue = NEVER;

    /** When the log was last read again. */
    private long scanned = -SCAN_PAUSE_MILLIS;

    DelayedEntries(DelayMemory memory) {
        this.memory = memory;
    }

    boolean isEmpty() {
        return size == 0 && left == NEVER;
    }

    /** Messages of the entries that are kept. */
    long messages() {
        return messages;
    }

    void add(long time, long base, int count) {
        if (size == due.length && !grow()) {
            left = Math.min(left, base);
            leftDue = Math.min(leftDue, time);
            return;
        }
        messages += count;
        set(size, time, base, count);
        up(size++);
    }

    private boolean grow() {
        int more = Math.max(FIRST_ROOM, due.length);
        if (!memory.take(due.length, more)) {
            return false;
        }
        resize(due.length + more);
        return true;
    }

    private void resize(int room) {
        due = Arrays.copyOf(due, room);
        bases = Arrays.copyOf(bases, room);
        offsets = Arrays.copyOf(offsets, room);
    }

    /** First offset of the earliest entry if it is due, else -1. */
    long next(long now) {
        return size > 0 && due[0] <= now ? bases[0] : -1;
    }

    /** How many offsets the earliest entry has. */
    int nextOffsets() {
        return offsets[0];
    }

    /** Whether the entry that is due after the earliest one lies right behind it in the log, so that both are better read together. */
    boolean goesOn(long now) {
        int second = size > 2 && isBefore(2, 1) ? 2 : 1;
        return second < size && due[second] <= now && isNear(bases[second], bases[0]);
    }

    /** Whether the earliest entry is due, and comes soon behind {@code offset} in the log. */
    boolean isAhead(long offset, long now) {
        return next(now) >= offset && isNear(bases[0], offset);
    }

    private static boolean isNear(long base, long behind) {
        return base >= behind && base - behind <= TOGETHER;
    }

    void removeNext() {
        messages -= offsets[0];
        size--;
        move(size, 0);
        down(0);
        if (size == 0) {
            release();
        }
    }

    /** Removes earliest entries for which {@code settled} is true. */
    void removeWhile(long now, LongPredicate settled) {
        while (size > 0 && due[0] <= now && settled.test(bases[0])) {
            removeNext();
        }
    }

    /** When something is to be done: an entry is due, or the log is to be read again; {@link Long#MAX_VALUE} for never. */
    long wakeAt() {
        return Math.min(size > 0 ? due[0] : NEVER, scanTime());
    }

    private long scanTime() {
        return left == NEVER ? NEVER : Math.max(leftDue, scanned + SCAN_PAUSE_MILLIS);
    }

    /**
     * Offset from which the log is to be read again now, else -1. If so, entries from there on are forgotten, and are met by that reading.
     */
    long scanAt(long now) {
        if (left == NEVER || scanTime() > now) {
            return -1;
        }
        long from = left;
        scanned = now;
        removeFrom(from);
        return from;
    }

    /** The log is read again from {@code offset} on. */
    void removeFrom(long offset) {
        if (left >= offset) {
            left = NEVER;
            leftDue = NEVER;
        }
        int kept = 0;
        messages = 0;
        for (int i = 0; i < size; i++) {
            if (bases[i] < offset) {
                messages += offsets[i];
                move(i, kept++);
            }
        }
        size = kept;
        for (int i = size / 2 - 1; i >= 0; i--) {
            down(i);
        }
        if (size == 0) {
            release();
        }
    }

    void clear() {
        size = 0;
        messages = 0;
        left = NEVER;
        leftDue = NEVER;
        release();
    }

    private void release() {
        memory.giveBack(due.length);
        resize(0);
    }

    // ---- heap

    private void set(int i, long time, long base, int count) {
        due[i] = time;
        bases[i] = base;
        offsets[i] = count;
    }

    private void move(int from, int to) {
        set(to, due[from], bases[from], offsets[from]);
    }

    private boolean isBefore(int a, int b) {
        return due[a] != due[b] ? due[a] < due[b] : bases[a] < bases[b];
    }

    private void up(int i) {
        for (int at = i; at > 0 && isBefore(at, (at - 1) / 2); at = (at - 1) / 2) {
            swap(at, (at - 1) / 2);
        }
    }

    private void down(int i) {
        for (int at = i, child = 2 * at + 1; child < size; at = child, child = 2 * at + 1) {
            if (child + 1 < size && isBefore(child + 1, child)) {
                child++;
            }
            if (!isBefore(child, at)) {
                return;
            }
            swap(at, child);
        }
    }

    private void swap(int a, int b) {
        long time = due[a];
        long base = bases[a];
        int count = offsets[a];
        move(b, a);
        set(b, time, base, count);
    }
}
