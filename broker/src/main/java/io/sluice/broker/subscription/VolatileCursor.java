package io.sluice.broker.subscription;

import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;
import java.util.Map;

/** Cursor of a non-durable subscription (a reader): lives as long as its consumers. Loop only. */
public final class VolatileCursor extends NamedCursor {
    /** Memory for what is acknowledged out of order; a million gaps among neighbours take a quarter of it. */
    private static final int MOST_BYTES = 1 << 20;

    /** @param start everything before it is acknowledged, nothing else */
    public VolatileCursor(String name, long start, Map<String, String> properties) {
        super(name, Map.copyOf(properties), new CursorState(start));
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
    public void describe(Map<String, String> to, Durable done) {
        properties = Map.copyOf(to);
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
}
