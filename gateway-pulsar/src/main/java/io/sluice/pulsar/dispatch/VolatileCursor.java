package io.sluice.pulsar.dispatch;

import io.sluice.broker.subscription.Cursor;
import io.sluice.store.segment.Durable;
import java.util.Map;
import java.util.TreeMap;

/** Cursor of a non-durable subscription (a reader): lives as long as its consumers. Loop only. */
final class VolatileCursor implements Cursor {
    /** Acknowledged ranges kept; beyond it an acknowledgement waits for the gap before it. */
    private static final int MAX_RANGES = 10_000;

    private final String name;
    private final Map<String, String> properties;
    /** Last offset by first offset; they neither touch nor overlap and lie above {@link #ackedBelow}. */
    private final TreeMap<Long, Long> ranges = new TreeMap<>();

    private long ackedBelow;
    private long ackedAbove;

    VolatileCursor(String name, long start, Map<String, String> properties) {
        this.name = name;
        this.ackedBelow = start;
        this.properties = Map.copyOf(properties);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Map<String, String> properties() {
        return properties;
    }

    @Override
    public long ackedBelow() {
        return ackedBelow;
    }

    @Override
    public boolean isAcked(long offset) {
        return nextUnacked(offset) != offset;
    }

    @Override
    public long nextAcked(long from) {
        if (isAcked(from)) {
            return from;
        }
        var range = ranges.higherKey(from);
        return range == null ? Long.MAX_VALUE : range;
    }

    @Override
    public long nextUnacked(long from) {
        if (from < ackedBelow) {
            return ackedBelow;
        }
        var range = ranges.floorEntry(from);
        return range != null && range.getValue() >= from ? range.getValue() + 1 : from;
    }

    @Override
    public long ackedAbove() {
        return ackedAbove;
    }

    @Override
    public void ack(long from, long to, Durable done) {
        add(Math.max(from, ackedBelow), to);
        done.durable();
    }

    private void add(long from, long to) {
        if (to < from || (ranges.size() >= MAX_RANGES && from > ackedBelow)) {
            return;
        }
        long first = from;
        long last = to;
        for (var r = ranges.floorEntry(last + 1);
                r != null && r.getValue() >= first - 1;
                r = ranges.floorEntry(last + 1)) {
            ranges.remove(r.getKey());
            ackedAbove -= r.getValue() - r.getKey() + 1;
            first = Math.min(first, r.getKey());
            last = Math.max(last, r.getValue());
        }
        if (first <= ackedBelow) {
            ackedBelow = last + 1;
        } else {
            ranges.put(first, last);
            ackedAbove += last - first + 1;
        }
    }

    @Override
    public void ackUpTo(long offset, Durable done) {
        add(ackedBelow, offset);
        done.durable();
    }

    @Override
    public void seek(long offset, Durable done) {
        ranges.clear();
        ackedAbove = 0;
        ackedBelow = offset;
        done.durable();
    }

    @Override
    public int ackedRanges() {
        return ranges.size();
    }
}
