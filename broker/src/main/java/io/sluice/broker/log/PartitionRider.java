package io.sluice.broker.log;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.subscription.PartitionSubscriptions;
import io.sluice.store.segment.SegmentRider;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayList;
import java.util.List;

/** A partition as its segment's rider: hands each operation to the part that it concerns. */
final class PartitionRider implements SegmentRider {
    private final PartitionState state;
    private final PartitionSubscriptions subscriptions;
    private final List<StatePart> parts;
    private final SegmentPartitionLog log;
    private final OpenPartitions open;

    PartitionRider(
            PartitionState state, PartitionSubscriptions subscriptions, SegmentPartitionLog log, OpenPartitions open) {
        this.state = state;
        this.subscriptions = subscriptions;
        this.parts = new ArrayList<>(state.parts());
        this.parts.add(new SubscriptionsPart(subscriptions));
        this.log = log;
        this.open = open;
    }

    @Override
    public void applyAppend(long position, ByteBuf data) {
        state.applyAppend(active().inPartition(position), data);
    }

    private Extent active() {
        return state.offsets().extents().active();
    }

    @Override
    public void applyNote(ByteBuf note) {
        // The lender's reader index stays where it is.
        ByteBuf in = note.slice();
        byte type = in.readByte();
        if (type < PartitionNote.FIRST_OF_SUBSCRIPTIONS) {
            state.applyNote(PartitionNote.read(type, in));
        } else {
            subscriptions.applyNote(type, in);
        }
    }

    @Override
    public void durable(long durableLength) {
        log.durableTo(active().inPartition(durableLength));
    }

    @Override
    public void snapshot(ByteBuf out) {
        PartitionSnapshot.write(parts, out);
    }

    @Override
    public void closed(StoreFailure why) {
        open.closed(log);
        subscriptions.closed(why);
        log.closed(why);
    }
}
