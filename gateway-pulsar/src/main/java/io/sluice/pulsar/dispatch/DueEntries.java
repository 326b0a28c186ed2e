package io.sluice.pulsar.dispatch;

import java.util.Map;
import java.util.TreeMap;

/**
 * Entries that a subscription has passed over and whose time has come since, in the order of the log. Beyond a bound only the first of the
 * others is known, from which the log is read again. Loop only.
 */
final class DueEntries {
    private static final int MOST = 10_000;

    /** Offsets that may lie between two entries that are read together. */
    private static final int TOGETHER = 64;

    private static final long NONE = Long.MAX_VALUE;

    private final int most;
    private final TreeMap<Long, Integer> offsetsByBase = new TreeMap<>();
    private long left = NONE;

    DueEntries() {
        this(MOST);
    }

    DueEntries(int most) {
        this.most = most;
    }

    void add(long base, int offsets) {
        if (offsetsByBase.size() < most) {
            offsetsByBase.put(base, offsets);
        } else {
            left = Math.min(left, base);
        }
    }

    /** Base offset of the first entry; -1 if there is none. */
    long next() {
        return offsetsByBase.isEmpty() ? -1 : offsetsByBase.firstKey();
    }

    void remove(long base) {
        offsetsByBase.remove(base);
    }

    /** Says of an entry whether it is to be delivered no more. */
    interface Settled {
        boolean is(long base, int offsets);
    }

    /** Removes first entries that are settled. */
    void removeWhile(Settled settled) {
        for (Map.Entry<Long, Integer> first = offsetsByBase.firstEntry();
                first != null && settled.is(first.getKey(), first.getValue());
                first = offsetsByBase.firstEntry()) {
            offsetsByBase.remove(first.getKey());
        }
    }

    /** Whether another entry lies right behind the first, so that both are better read together. */
    boolean goesOn() {
        long first = next();
        Long second = first < 0 ? null : offsetsByBase.higherKey(first);
        return second != null && second - first <= TOGETHER;
    }

    /** Whether the first entry comes soon behind {@code offset} in the log. */
    boolean isAhead(long offset) {
        long next = next();
        return next >= offset && next - offset <= TOGETHER;
    }

    /** Offset from which the log is to be read again when there is no entry here; -1 for none. It is told once. */
    long takeLeft() {
        if (left == NONE || !offsetsByBase.isEmpty()) {
            return -1;
        }
        long from = left;
        left = NONE;
        return from;
    }

    /** The log is read again from {@code offset} on. */
    void removeFrom(long offset) {
        offsetsByBase.tailMap(offset, true).clear();
        if (left >= offset) {
            left = NONE;
        }
    }

    void clear() {
        offsetsByBase.clear();
        left = NONE;
    }
}
