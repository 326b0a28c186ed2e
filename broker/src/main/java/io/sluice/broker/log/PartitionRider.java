package io.sluice.broker.log;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.subscription.PartitionSubscriptions;
import io.sluice.store.segment.SegmentRider;
import io.sluice.store.segment.StoreFailure;

/** A partition as its segment's rider: hands each operation to the part that it concerns. */
final class PartitionRider implements SegmentRider {
    private final PartitionState state;
    private final PartitionSubscriptions subscriptions;
    private final SegmentPartitionLog log;
    private final OpenPartitions open;

    PartitionRider(
            PartitionState state, PartitionSubscriptions subscriptions, SegmentPartitionLog log, OpenPartitions open) {
        this.state = state;
        this.subscriptions = subscriptions;
        this.log = log;
        this.open = open;
    }

    @Override
    public void applyAppend(long position, ByteBuf data) {
        state.applyAppend(position, data);
    }

    @Override
    public void applyNote(ByteBuf note) {
        // The lender's reader index stays where it is.
        ByteBuf in = note.slice();
        byte type = in.readByte();
        if (type < PartitionNotes.FIRST_OF_SUBSCRIPTIONS) {
            state.applyNote(type, in);
        } else {
            subscriptions.applyNote(type, in);
        }
    }

    @Override
    public void durable(long durableLength) {
        log.durableTo(durableLength);
    }

    @Override
    public void snapshot(ByteBuf out) {
        state.snapshot(out);
        subscriptions.snapshot(out);
    }

    @Override
    public void closed(StoreFailure why) {
        open.closed(log);
        subscriptions.closed(why);
        log.closed(why);
    }
}
