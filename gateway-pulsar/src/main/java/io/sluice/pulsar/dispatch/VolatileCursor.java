package io.sluice.pulsar.dispatch;

import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.subscription.CursorState;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;
import java.util.Map;

/** Cursor of a non-durable subscription (a reader): lives as long as its consumers. Loop only. */
final class VolatileCursor implements Cursor {
    /** Memory for what is acknowledged out of order; a million gaps among neighbours take a quarter of it. */
    private static final int MOST_BYTES = 1 << 20;

    private final String name;
    private final Map<String, String> properties;
    private final CursorState state;

    VolatileCursor(String name, long start, Map<String, String> properties) {
        this.name = name;
        this.state = new CursorState(start);
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
        return state.ackedBelow();
    }

    @Override
    public boolean isAcked(long offset) {
        return state.isAcked(offset);
    }

    @Override
    public long nextUnacked(long from) {
        return state.nextUnacked(from);
    }

    @Override
    public long afterUnacked(long from, long count) {
        return state.afterUnacked(from, count);
    }

    @Override
    public long countAcked(long from, long to) {
        return state.countAcked(from, to);
    }

    @Override
    public long ackedAbove() {
        return state.ackedAbove();
    }

    @Override
    public void ack(long from, long to, Durable done) {
        if (state.bytes() >= MOST_BYTES && state.addsRange(from, to)) {
            done.failed(new StoreFailure.Overloaded("subscription " + name + " has too many gaps"));
            return;
        }
        if (from <= to) {
            state.ack(from, to);
        }
        done.durable();
    }

    @Override
    public void ackUpTo(long offset, Durable done) {
        state.ackUpTo(offset);
        done.durable();
    }

    @Override
    public void seek(long offset, Durable done) {
        state.seek(offset);
        done.durable();
    }

    @Override
    public int ackedRanges() {
        return state.ranges();
    }
}
