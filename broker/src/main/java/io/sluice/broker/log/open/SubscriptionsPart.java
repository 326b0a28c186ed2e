package io.sluice.broker.log.open;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.log.state.StatePart;
import io.sluice.broker.subscription.PartitionSubscriptions;

/** The partition's subscriptions, as a part of its snapshot. Their notes are their own. */
record SubscriptionsPart(PartitionSubscriptions subscriptions) implements StatePart {
    static final byte TAG = 16;

    @Override
    public byte tag() {
        return TAG;
    }

    @Override
    public byte version() {
        return subscriptions.version();
    }

    @Override
    public byte newestVersion() {
        return PartitionSubscriptions.NEWEST_VERSION;
    }

    @Override
    public boolean isEmpty() {
        return subscriptions.isNew();
    }

    @Override
    public void snapshot(ByteBuf out) {
        subscriptions.snapshot(out);
    }

    @Override
    public void restore(byte version, ByteBuf in) {
        subscriptions.restore(version, in);
    }
}
