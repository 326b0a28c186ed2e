package io.sluice.pulsar.dispatch;

import java.util.Arrays;

/**
 * Entries with the time at which they are to be delivered, the earliest first, and of those the first in the log: a binary heap in arrays,
 * of {@link #ENTRY_BYTES} an entry. Room for a few is always there, for others {@link DelayMemory} has to have it. Loop only; times are in
 * milliseconds since the epoch.
 */
final class DelayHeap {
    /** Bytes of an entry here. */
    static final int ENTRY_BYTES = 2 * Long.BYTES + Integer.BYTES;

    /** Entries for which there is room whatever the memory says, so that work goes on. */
    static final int ALWAYS = 16;

    private static final int SAMPLES = 1_024;

    private final DelayMemory memory;
    private long[] times = {};
    private long[] bases = {};
    private int[] offsets = {};
    private int size;

    /** Receiver of entries, in no order. */
    interface Visitor {
        void entry(long time, long base, int offsets);
    }

    /** An entry's place in the order. */
    record Key(long time, long base) {
        static final Key END = new Key(Long.MAX_VALUE, Long.MAX_VALUE);

        boolean isAfter(long otherTime, long otherBase) {
            return otherTime != time ? otherTime < time : otherBase < base;
        }
    }

    DelayHeap(DelayMemory memory) {
        this.memory = memory;
    }

    int size() {
        return size;
    }

    /** Entries for which there is room now. */
    int room() {
        return times.length;
    }

    /** False if there is no room. */
    boolean add(long time, long base, int count) {
        if (size == times.length && !grow()) {
            return false;
        }
        set(size, time, base, count);
        up(size++);
        return true;
    }

    private boolean grow() {
        int more = Math.max(ALWAYS, times.length);
        if (times.length > 0 && !memory.take(times.length - ALWAYS, more)) {
            return false;
        }
        resize(times.length + more);
        return true;
    }

    private void resize(int room) {
        times = Arrays.copyOf(times, room);
        bases = Arrays.copyOf(bases, room);
        offsets = Arrays.copyOf(offsets, room);
    }

    /** Time of the earliest entry; {@link Long#MAX_VALUE} if there is none. */
    long time() {
        return size > 0 ? times[0] : Long.MAX_VALUE;
    }

    /** Base offset of the earliest entry. */
    long base() {
        return bases[0];
    }

    /** How many offsets the earliest entry has. */
    int offsets() {
        return offsets[0];
    }

    void removeFirst() {
        size--;
        move(size, 0);
        down(0);
        if (size == 0) {
            release();
        }
    }

    void forEach(Visitor visitor) {
        for (int i = 0; i < size; i++) {
            visitor.entry(times[i], bases[i], offsets[i]);
        }
    }

    /** Removes about the later half of at least two entries, all but one at most. Gives the first of what is gone. */
    Key removeLaterHalf() {
        Key cut = middle();
        int kept = 0;
        for (int i = 0; i < size; i++) {
            if (cut.isAfter(times[i], bases[i])) {
                move(i, kept++);
            }
        }
        size = kept;
        for (int i = size / 2 - 1; i >= 0; i--) {
            down(i);
        }
        return cut;
    }

    /** About the one in the middle, never the earliest: by a sample, which a long turn of the loop would cost otherwise. */
    private Key middle() {
        int n = Math.min(SAMPLES, size);
        Key[] samples = new Key[n];
        for (int i = 0; i < n; i++) {
            int at = (int) ((long) i * size / n);
            samples[i] = new Key(times[at], bases[at]);
        }
        Arrays.sort(samples, (a, b) -> a.isAfter(b.time, b.base) ? 1 : b.isAfter(a.time, a.base) ? -1 : 0);
        return samples[n / 2];
    }

    void clear() {
        size = 0;
        release();
    }

    private void release() {
        memory.giveBack(Math.max(0, times.length - ALWAYS));
        resize(0);
    }

    // ---- heap

    private void set(int i, long time, long base, int count) {
        times[i] = time;
        bases[i] = base;
        offsets[i] = count;
    }

    private void move(int from, int to) {
        set(to, times[from], bases[from], offsets[from]);
    }

    private boolean isBefore(int a, int b) {
        return times[a] != times[b] ? times[a] < times[b] : bases[a] < bases[b];
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
        long time = times[a];
        long base = bases[a];
        int count = offsets[a];
        move(b, a);
        set(b, time, base, count);
    }
}
