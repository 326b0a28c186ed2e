package io.sluice.broker.log.open;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.container.ContainerOperations;
import io.sluice.broker.container.LocalOperations;
import io.sluice.broker.log.PartitionAttributes;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.ProducerLimits;
import io.sluice.broker.log.SegmentKinds;
import io.sluice.broker.log.open.PartitionRider.OpenPartition;
import io.sluice.broker.log.state.PartitionSnapshot;
import io.sluice.broker.log.state.PartitionState;
import io.sluice.broker.subscription.AckMemory;
import io.sluice.broker.subscription.PartitionSubscriptions;
import io.sluice.store.segment.Containers;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.SegmentInfo;
import io.sluice.store.segment.SegmentRider;
import io.sluice.store.segment.SegmentRiderFactory;
import org.jspecify.annotations.Nullable;

/** Makes the riders of partition segments. */
public final class PartitionRiderFactory implements SegmentRiderFactory {
    private final ProducerLimits limits;
    private final OpenPartitions open;
    private final StateMaker states;
    private final AckMemory acks = AckMemory.ofHeap();
    private final RemoteExtents remote = new RemoteExtents();
    private final Companions companions = new Companions();

    /** Makes the state of a new partition. */
    interface StateMaker {
        PartitionState make(ProducerLimits limits, int container, long segment);
    }

    public PartitionRiderFactory(ProducerLimits limits, OpenPartitions open) {
        this(limits, open, PartitionState::new);
    }

    PartitionRiderFactory(ProducerLimits limits, OpenPartitions open, StateMaker states) {
        this.limits = limits;
        this.open = open;
        this.states = states;
    }

    /** As the other one, where all containers are served here. */
    public void containers(Containers all) {
        containers(all, new LocalOperations(all));
    }

    /** Says where segments of partitions lie that were moved from one to another; before any serves. */
    public void containers(Containers here, ContainerOperations all) {
        remote.setContainers(here, all);
    }

    public Companions companions() {
        return companions;
    }

    @Override
    public SegmentRider create(
            SegmentContainer container, SegmentInfo info, ByteBuf attributes, @Nullable ByteBuf snapshot) {
        if (info.kind() == SegmentKinds.COMPANION) {
            long partitionId = PartitionAttributes.read(attributes).partitionId();
            return new CompanionRider(new Companions.Companion(container, info.segment(), partitionId), companions);
        }
        if (info.kind() != SegmentKinds.PARTITION) {
            throw new IllegalStateException("segment " + info.segment() + " is of unknown kind " + info.kind()
                    + ": a newer version wrote this store");
        }
        PartitionAttributes of = PartitionAttributes.read(attributes);
        PartitionRider rider =
                new PartitionRider(container, info.segment(), of, () -> partition(container, info.segment(), of), open);
        if (snapshot == null && of.isSuccessor()) {
            rider.beginArriving(null);
        } else if (snapshot == null || !PartitionSnapshot.isOnItsWay(snapshot)) {
            rider.begin(snapshot, info.sealed());
        } else if (!PartitionSnapshot.hasLeft(snapshot)) {
            rider.beginArriving(PartitionSnapshot.arriving(snapshot));
        }
        return rider;
    }

    private OpenPartition partition(SegmentContainer container, long segment, PartitionAttributes of) {
        PartitionState state = states.make(limits, container.id(), segment);
        state.setAboveTerm(of.aboveTerm());
        PartitionSubscriptions subscriptions = new PartitionSubscriptions(
                container,
                segment,
                state::nextOffset,
                acks,
                open.subscriptions().open(of.topicId(), of.partition(), segment));
        SegmentPartitionLog log = new SegmentPartitionLog(container, of.topicId(), remote, state, subscriptions);
        return OpenPartition.of(state, subscriptions, log);
    }

    /** The partition in a segment of a container, on that container's loop; null if it is not there, or is about to come or to go. */
    public static @Nullable PartitionLog find(SegmentContainer container, long segment) {
        return container.info(segment) != null && container.rider(segment) instanceof PartitionRider partition
                ? partition.here()
                : null;
    }
}
