package io.sluice.store.segment;

import io.netty.buffer.ByteBuf;

/** Rides a segment of which a test wants the bytes only. */
public final class NoRider implements SegmentRider {
    @Override
    public void applyAppend(long position, ByteBuf data) {}

    @Override
    public void applyNote(ByteBuf note) {}

    @Override
    public void durable(long durableLength) {}

    @Override
    public void snapshot(ByteBuf out) {}

    @Override
    public void closed(StoreFailure why) {}
}
