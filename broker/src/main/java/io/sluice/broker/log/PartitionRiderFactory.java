package io.sluice.broker.log;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.subscription.AckMemory;
import io.sluice.broker.subscription.PartitionSubscriptions;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.SegmentInfo;
import io.sluice.store.segment.SegmentRider;
import io.sluice.store.segment.SegmentRiderFactory;
import org.jspecify.annotations.Nullable;

/** Makes the riders of partition segments. */
public final class PartitionRiderFactory implements SegmentRiderFactory {
    /** {@link SegmentInfo#kind} of a segment that holds a partition. */
    public static final byte KIND = 1;

    private final ProducerLimits limits;
    private final OpenPartitions open;
    private final AckMemory acks = AckMemory.ofHeap();

    public PartitionRiderFactory(ProducerLimits limits, OpenPartitions open) {
        this.limits = limits;
        this.open = open;
    }

    @Override
    public SegmentRider create(
            SegmentContainer container, SegmentInfo info, ByteBuf attributes, @Nullable ByteBuf snapshot) {
        if (info.kind() != KIND) {
            throw new IllegalStateException("segment " + info.segment() + " is of unknown kind " + info.kind()
                    + ": a newer version wrote this store");
        }
        PartitionState state = snapshot == null ? new PartitionState(limits) : PartitionState.restore(limits, snapshot);
        PartitionSubscriptions subscriptions =
                new PartitionSubscriptions(container, info.segment(), state::nextOffset, acks);
        if (snapshot != null) {
            subscriptions.restore(snapshot);
        }
        SegmentPartitionLog log = new SegmentPartitionLog(container, info.segment(), state, subscriptions);
        open.opened(log);
        return new PartitionRider(state, subscriptions, log, open);
    }
}
