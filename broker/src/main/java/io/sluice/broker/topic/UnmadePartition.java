package io.sluice.broker.topic;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.SegmentKinds;
import io.sluice.broker.log.open.LazyPartitionLog;
import io.sluice.broker.log.open.OpenPartitions;
import io.sluice.broker.topic.Topic.Placement;
import io.sluice.store.segment.Containers;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreFailure;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A partition of an elastic topic whose segment is not made yet: made by the first writer, in the same turn of the loop.
 */
final class UnmadePartition extends LazyPartitionLog {
    private final Topic topic;
    private final int partition;
    private final SegmentContainer container;
    private final Shared shared;
    private @Nullable PartitionLog existing;

    /** State shared by all unmade partitions of a process. */
    record Shared(
            TopicCatalogue catalogue,
            CurrentTopics current,
            OpenPartitions open,
            UnmadeWaiters waiters,
            Containers containers) {
        /** In a container that is to be removed nothing is made: callers come again, and find another place. */
        boolean mayBeMade(int container) {
            return containers.staying().contains(container);
        }
    }

    UnmadePartition(Topic topic, int partition, SegmentContainer container, Shared shared) {
        this.topic = topic;
        this.partition = partition;
        this.container = container;
        this.shared = shared;
    }

    private Placement placement() {
        return topic.partitions().get(partition);
    }

    @Override
    public @Nullable PartitionLog existing() {
        if (existing == null) {
            existing = shared.open.find(placement().segment());
        }
        return existing;
    }

    /**
     * Null if it cannot be made: the topic is deleted, or about to be read again, the partition has moved, the container stops or is to be
     * removed.
     */
    @Override
    public @Nullable PartitionLog getOrCreate() {
        PartitionLog known = existing();
        if (known != null
                || !isCurrent()
                || !isStillHere()
                || !shared.mayBeMade(container.id())
                || container.info(placement().segment()) != null) {
            return known;
        }
        ByteBuf attributes = Unpooled.buffer();
        topic.attributes(partition).write(attributes);
        container.create(placement().segment(), SegmentKinds.PARTITION, attributes, Durable.IGNORED);
        PartitionLog log = existing();
        if (log != null) {
            shared.waiters.made(container, placement().segment(), log);
        }
        return log;
    }

    private boolean isCurrent() {
        return shared.current.has(container, topic.name(), topic.id());
    }

    /** Lets a first write soon after find the topic known as it is. */
    UnmadePartition prepared() {
        isCurrent();
        return this;
    }

    /** Asked on the loop: a deletion or move changes the catalogue before it comes to the loop. */
    private boolean isStillHere() {
        Topic now = shared.catalogue.find(topic.id());
        return now != null
                && partition < now.partitions().size()
                && now.partitions().get(partition).segment() == placement().segment();
    }

    @Override
    public boolean isGone() {
        return existing() == null
                && (!isStillHere() || container.info(placement().segment()) != null);
    }

    @Override
    public StoreFailure gone() {
        return new StoreFailure.NotOwner(container.id(), "the partition is not here any more, or not known to be");
    }

    @Override
    public SegmentContainer container() {
        return container;
    }

    @Override
    public long partitionId() {
        return placement().partitionId();
    }

    @Override
    public UUID topicId() {
        return topic.id();
    }

    /** The one that it will be made with. */
    @Override
    public int leaderEpoch() {
        return placement().leaderEpoch(container.term());
    }

    @Override
    protected Waiting park(long offset, Isolation isolation, TailWaiter waiter) {
        return shared.waiters.park(container, placement().segment(), offset, isolation, waiter);
    }
}
