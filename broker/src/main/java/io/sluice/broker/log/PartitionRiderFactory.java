package io.sluice.broker.log;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.subscription.AckMemory;
import io.sluice.broker.subscription.PartitionSubscriptions;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.SegmentInfo;
import io.sluice.store.segment.SegmentRider;
import io.sluice.store.segment.SegmentRiderFactory;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Makes the riders of partition segments. */
public final class PartitionRiderFactory implements SegmentRiderFactory {
    /** {@link SegmentInfo#kind} of a segment that holds a partition. */
    public static final byte KIND = 1;

    private final ProducerLimits limits;
    private final OpenPartitions open;
    private final Supplier<List<StatePart>> more;
    private final AckMemory acks = AckMemory.ofHeap();

    public PartitionRiderFactory(ProducerLimits limits, OpenPartitions open) {
        this(limits, open, List::of);
    }

    /** @param more makes the parts that a partition's state has besides those of every partition */
    PartitionRiderFactory(ProducerLimits limits, OpenPartitions open, Supplier<List<StatePart>> more) {
        this.limits = limits;
        this.open = open;
        this.more = more;
    }

    @Override
    public SegmentRider create(
            SegmentContainer container, SegmentInfo info, ByteBuf attributes, @Nullable ByteBuf snapshot) {
        if (info.kind() != KIND) {
            throw new IllegalStateException("segment " + info.segment() + " is of unknown kind " + info.kind()
                    + ": a newer version wrote this store");
        }
        PartitionState state = new PartitionState(limits, info.segment(), more.get());
        PartitionSubscriptions subscriptions =
                new PartitionSubscriptions(container, info.segment(), state::nextOffset, acks);
        if (snapshot != null) {
            PartitionSnapshot.read(snapshot, state, new SubscriptionsPart(subscriptions));
        }
        SegmentPartitionLog log = new SegmentPartitionLog(container, state, subscriptions);
        open.opened(log);
        return new PartitionRider(state, subscriptions, log, open);
    }
}
