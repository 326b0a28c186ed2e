package io.sluice.broker.log.open;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.log.open.Companions.Companion;
import io.sluice.store.segment.SegmentRider;
import io.sluice.store.segment.StoreFailure;

/** Rides a companion segment, of which all that is to be known stands in the partition that it belongs to. */
record CompanionRider(Companion companion, Companions all) implements SegmentRider {
    CompanionRider {
        all.opened(companion);
    }

    @Override
    public void applyAppend(long position, ByteBuf data) {
        throw new IllegalStateException("companion segment " + companion.segment() + " is not written through the log");
    }

    @Override
    public void applyNote(ByteBuf note) {
        throw new IllegalStateException("companion segment " + companion.segment() + " has no notes");
    }

    @Override
    public void durable(long durableLength) {}

    @Override
    public void snapshot(ByteBuf out) {}

    @Override
    public void closed(StoreFailure why) {
        all.closed(companion);
    }
}
