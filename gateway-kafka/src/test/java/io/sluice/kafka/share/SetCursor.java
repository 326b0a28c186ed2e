package io.sluice.kafka.share;

import io.sluice.broker.subscription.ShareCursor;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A cursor in memory, where everything is durable at once; each offset by itself, so that there is little to go wrong. */
final class SetCursor implements ShareCursor {
    private final BitSet acked = new BitSet();
    private final TreeMap<Long, Integer> counts = new TreeMap<>();
    private boolean full;

    /** Refuses to acknowledge anything from now on. */
    void setFull(boolean is) {
        full = is;
    }

    @Override
    public List<Delivered> delivered() {
        List<Delivered> all = new ArrayList<>();
        counts.forEach((offset, count) -> all.add(new Delivered(offset, offset, count)));
        return all;
    }

    @Override
    public void setDelivered(List<Delivered> ranges, Durable done) {
        for (Delivered each : ranges) {
            for (long offset = each.from(); offset <= each.to(); offset++) {
                counts.put(offset, each.count());
            }
        }
        done.durable();
    }

    @Override
    public String name() {
        return "_share.g";
    }

    @Override
    public Map<String, String> properties() {
        return Map.of();
    }

    @Override
    public void describe(Map<String, String> properties, Durable done) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long ackedBelow() {
        return acked.nextClearBit(0);
    }

    @Override
    public boolean isAcked(long offset) {
        return acked.get((int) offset);
    }

    @Override
    public long nextUnacked(long from) {
        return acked.nextClearBit((int) from);
    }

    @Override
    public long nextAckedAbove(long from) {
        return acked.nextSetBit((int) Math.max(from, ackedBelow()));
    }

    @Override
    public long afterUnacked(long from, long count) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long countAcked(long from, long to) {
        return acked.get((int) from, (int) to + 1).cardinality();
    }

    @Override
    public long ackedAbove() {
        return acked.cardinality() - ackedBelow();
    }

    @Override
    public long ackedBytes() {
        return 0;
    }

    @Override
    public void ack(long from, long to, Durable done) {
        if (full) {
            done.failed(new StoreFailure.Overloaded("full"));
            return;
        }
        acked.set((int) from, (int) to + 1);
        done.durable();
    }

    @Override
    public void ackUpTo(long offset, Durable done) {
        acked.set(0, (int) offset + 1);
        done.durable();
    }

    @Override
    public void seek(long offset, Durable done) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int ackedRanges() {
        return 0;
    }
}
