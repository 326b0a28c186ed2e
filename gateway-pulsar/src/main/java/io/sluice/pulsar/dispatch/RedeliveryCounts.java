package io.sluice.pulsar.dispatch;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How often entries were sent before that are not remembered as outstanding: a transaction had acknowledged them, and an abort counts as a
 * redelivery, as in Pulsar; or they were a batch until it was compacted. Bounded: what finds no room counts from 0 again. Loop only.
 */
final class RedeliveryCounts {
    private static final int MOST = 10_000;

    /** By the base offset of an entry that is pending, or of a message that was one of a batch. */
    private final TreeMap<Long, Integer> pending = new TreeMap<>();
    /** First to last offset of what was given back and not sent since. */
    private final TreeMap<Long, Long> givenBack = new TreeMap<>();

    /** A transaction acknowledges the last of an entry; everything before {@code ackedBelow} is acknowledged for good. */
    void pending(Delivered d, long ackedBelow) {
        pending.headMap(ackedBelow).clear();
        if (d.redelivered > 0 && pending.size() < MOST) {
            pending.put(d.base, d.redelivered);
        }
    }

    /** The messages of a batch are entries of their own from now on; everything before {@code ackedBelow} is acknowledged for good. */
    void apart(Delivered d, long ackedBelow) {
        pending.headMap(ackedBelow).clear();
        for (long offset = d.base; d.redelivered > 0 && offset <= d.last() && pending.size() < MOST; offset++) {
            pending.put(offset, d.redelivered);
        }
    }

    /** A transaction that had acknowledged them is aborted. */
    void givenBack(long from, long to) {
        take(from, to);
        if (givenBack.size() < MOST) {
            givenBack.put(from, to);
        }
    }

    /** How often an entry with these offsets was sent before; it is forgotten here. */
    int take(Delivered d) {
        if (pending.isEmpty() && givenBack.isEmpty()) {
            return 0;
        }
        Integer before = pending.remove(d.base);
        return (before == null ? 0 : before) + (take(d.base, d.last()) ? 1 : 0);
    }

    /** Whether some of it was given back. */
    private boolean take(long from, long to) {
        boolean some = false;
        for (Map.Entry<Long, Long> in = overlapping(from, to); in != null; in = overlapping(from, to)) {
            some = true;
            givenBack.remove(in.getKey());
            if (in.getKey() < from) {
                givenBack.put(in.getKey(), from - 1);
            }
            if (in.getValue() > to) {
                givenBack.put(to + 1, in.getValue());
            }
        }
        return some;
    }

    private Map.@Nullable Entry<Long, Long> overlapping(long from, long to) {
        Map.Entry<Long, Long> floor = givenBack.floorEntry(to);
        return floor != null && floor.getValue() >= from ? floor : null;
    }

    void clear() {
        pending.clear();
        givenBack.clear();
    }
}
