package io.sluice.broker.topic;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.log.AppendReply;
import io.sluice.broker.log.CompactedView;
import io.sluice.broker.log.EntriesReply;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionCompaction;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.PartitionTransactions;
import io.sluice.broker.log.SegmentKinds;
import io.sluice.broker.log.open.OpenPartitions;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.subscription.Subscriptions;
import io.sluice.broker.topic.Topic.Placement;
import io.sluice.store.segment.Containers;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreFailure;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A partition of an elastic topic whose segment is not made yet: empty for readers, and made by the first writer, in
 * the same turn of the loop. Once it is made this passes everything on.
 */
final class UnmadePartition implements PartitionLog {
    private final Topic topic;
    private final int partition;
    private final SegmentContainer container;
    private final Shared shared;
    private @Nullable PartitionLog real;

    /** State shared by all unmade partitions of a process. */
    record Shared(TopicCatalogue catalogue, OpenPartitions open, UnmadeWaiters waiters, Containers containers) {
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

    /** Null until it is made. */
    private @Nullable PartitionLog real() {
        if (real == null) {
            real = shared.open.find(placement().segment());
        }
        return real;
    }

    /** Null if it cannot be made: the topic is deleted, the partition has moved, the container stops or is to be removed. */
    private @Nullable PartitionLog make() {
        PartitionLog known = real();
        if (known != null
                || !isStillHere()
                || !shared.mayBeMade(container.id())
                || container.info(placement().segment()) != null) {
            return known;
        }
        ByteBuf attributes = Unpooled.buffer();
        topic.attributes(partition).write(attributes);
        container.create(placement().segment(), SegmentKinds.PARTITION, attributes, Durable.IGNORED);
        PartitionLog made = real();
        if (made != null) {
            shared.waiters.made(container, placement().segment(), made);
        }
        return made;
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
        return real() == null && (!isStillHere() || container.info(placement().segment()) != null);
    }

    private StoreFailure gone() {
        return new StoreFailure.NotOwner(container.id(), "the partition is not here any more");
    }

    @Override
    public PartitionLog createIfMissing() {
        PartitionLog made = make();
        return made == null ? this : made;
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
    public long ledgerAt(long offset) {
        PartitionLog log = real();
        return log == null ? partitionId() : log.ledgerAt(offset);
    }

    @Override
    public long offsetOf(long ledger, long entry) {
        PartitionLog log = real();
        return log != null ? log.offsetOf(ledger, entry) : 0;
    }

    @Override
    public long startOffset() {
        PartitionLog log = real();
        return log == null ? 0 : log.startOffset();
    }

    @Override
    public long sequencedEnd() {
        PartitionLog log = real();
        return log == null ? 0 : log.sequencedEnd();
    }

    @Override
    public long durableEnd() {
        PartitionLog log = real();
        return log == null ? 0 : log.durableEnd();
    }

    @Override
    public long readableEnd(Isolation isolation) {
        PartitionLog log = real();
        return log == null ? 0 : log.readableEnd(isolation);
    }

    /** The one that it will be made with. */
    @Override
    public int leaderEpoch() {
        return placement().unmadeEpoch(container.term());
    }

    @Override
    public EpochEnd endOfEpoch(int epoch) {
        PartitionLog log = real();
        if (log != null) {
            return log.endOfEpoch(epoch);
        }
        return epoch < 0 || epoch > leaderEpoch() ? new EpochEnd(-1, -1) : new EpochEnd(epoch, 0);
    }

    @Override
    public void append(ByteBuf entry, AppendReply reply) {
        append(entry, reply, offset -> {});
    }

    @Override
    public void append(ByteBuf entry, AppendReply reply, LongConsumer sequenced) {
        PartitionLog log = make();
        if (log == null) {
            entry.release();
            reply.failed(gone());
        } else {
            log.append(entry, reply, sequenced);
        }
    }

    @Override
    public PartitionCompaction compaction() {
        PartitionLog log = real();
        return log == null ? NothingToCompact.HERE : log.compaction();
    }

    @Override
    public CompactedView view() {
        PartitionLog log = real();
        return log == null ? NothingCompacted.HERE : log.view();
    }

    @Override
    public PartitionTransactions transactions() {
        PartitionLog log = real();
        return log == null ? new NoTransactions() : log.transactions();
    }

    @Override
    public void read(long offset, int maxBytes, Isolation isolation, EntriesReply reply) {
        PartitionLog log = real();
        if (log != null) {
            log.read(offset, maxBytes, isolation, reply);
        } else if (isGone()) {
            reply.failed(gone());
        } else if (offset == 0) {
            reply.atEnd();
        } else {
            reply.outOfRange(0, 0);
        }
    }

    @Override
    public long bytesAfter(long offset) {
        PartitionLog log = real();
        return log == null ? 0 : log.bytesAfter(offset);
    }

    @Override
    public Waiting await(long offset, Isolation isolation, TailWaiter waiter) {
        PartitionLog log = real();
        if (log != null) {
            return log.await(offset, isolation, waiter);
        }
        if (isGone()) {
            waiter.closed(gone());
            return () -> {};
        }
        return shared.waiters.park(container, placement().segment(), offset, isolation, waiter);
    }

    @Override
    public Waiting watch(Watcher watcher) {
        PartitionLog log = real();
        return log != null ? log.watch(watcher) : new Watch(watcher);
    }

    /** Nothing moves before the partition has a first message. */
    private final class Watch implements Waiting, TailWaiter {
        private final Watcher watcher;
        private Waiting waiting;
        private boolean cancelled;

        Watch(Watcher watcher) {
            this.watcher = watcher;
            this.waiting = await(0, Isolation.UNCOMMITTED, this);
        }

        @Override
        public void moreToRead() {
            if (!cancelled) {
                waiting = UnmadePartition.this.watch(watcher);
                watcher.moved();
            }
        }

        @Override
        public void closed(StoreFailure why) {
            watcher.closed(why);
        }

        @Override
        public void cancel() {
            cancelled = true;
            waiting.cancel();
        }
    }

    @Override
    public void offsetAtTime(long timestamp, TimeReply reply) {
        PartitionLog log = real();
        if (log == null) {
            reply.found(new OffsetAndTime(-1, -1));
        } else {
            log.offsetAtTime(timestamp, reply);
        }
    }

    @Override
    public OffsetAndTime latestTimestamp() {
        PartitionLog log = real();
        return log == null ? new OffsetAndTime(-1, -1) : log.latestTimestamp();
    }

    @Override
    public long firstKept(long olderThan, long bytes) {
        PartitionLog log = real();
        return log == null ? 0 : log.firstKept(olderThan, bytes);
    }

    @Override
    public void deleteBefore(long offset, Durable done) {
        PartitionLog log = real();
        if (log != null) {
            log.deleteBefore(offset, done);
        } else if (offset > 0) {
            throw new IllegalArgumentException("offset " + offset + " is past the end 0");
        } else {
            container.barrier(done);
        }
    }

    @Override
    public void removeElsewhere() {
        PartitionLog log = real();
        if (log != null) {
            log.removeElsewhere();
        }
    }

    /** By the name alone, and so the same when it is made. */
    @Override
    public long producerIdOf(String producerName) {
        PartitionLog log = make();
        if (log == null) {
            throw new IllegalStateException(gone().message());
        }
        return log.producerIdOf(producerName);
    }

    @Override
    public long lastSequenceId(long producerId) {
        PartitionLog log = real();
        return log == null ? -1 : log.lastSequenceId(producerId);
    }

    @Override
    public void whenLastIsDurable(long producerId, Durable done) {
        PartitionLog log = real();
        if (log == null) {
            done.durable();
        } else {
            log.whenLastIsDurable(producerId, done);
        }
    }

    @Override
    public long exclusiveEpoch() {
        PartitionLog log = real();
        return log == null ? -1 : log.exclusiveEpoch();
    }

    @Override
    public void raiseExclusiveEpoch(long epoch, Durable done) {
        PartitionLog log = make();
        if (log == null) {
            done.failed(gone());
        } else {
            log.raiseExclusiveEpoch(epoch, done);
        }
    }

    @Override
    public void terminate(Durable done) {
        PartitionLog log = make();
        if (log == null) {
            done.failed(gone());
        } else {
            log.terminate(done);
        }
    }

    @Override
    public boolean isTerminated() {
        PartitionLog log = real();
        return log != null && log.isTerminated();
    }

    @Override
    public Subscriptions subscriptions() {
        PartitionLog log = real();
        return log == null ? new None() : log.subscriptions();
    }

    @Override
    public long sizeBytes() {
        PartitionLog log = real();
        return log == null ? 0 : log.sizeBytes();
    }

    @Override
    public Traffic traffic() {
        PartitionLog log = real();
        return log == null ? Traffic.NONE : log.traffic();
    }

    /** Subscriptions before the partition is made: none; {@link #made} comes before a subscription. */
    private final class None implements Subscriptions {
        @Override
        public @Nullable Cursor find(String name) {
            return null;
        }

        @Override
        public Collection<Cursor> all() {
            return List.of();
        }

        @Override
        public @Nullable String whyNot(String name, Map<String, String> properties) {
            PartitionLog log = make();
            return log == null ? gone().message() : log.subscriptions().whyNot(name, properties);
        }

        @Override
        public Cursor create(String name, long startOffset, Map<String, String> properties, Durable done) {
            PartitionLog log = make();
            if (log == null) {
                throw new IllegalArgumentException(gone().message());
            }
            return log.subscriptions().create(name, startOffset, properties, done);
        }

        @Override
        public void delete(String name, Durable done) {
            container.barrier(done);
        }

        @Override
        public void endTransaction(String name, long transaction, boolean commit, Durable done) {
            container.barrier(done);
        }
    }

    /** It is made for the write that is about to come. */
    private final class NoTransactions implements PartitionTransactions {
        @Override
        public boolean isOpen(long producerId, short epoch) {
            return false;
        }

        @Override
        public Verification verify(long producerId, short epoch) {
            PartitionLog log = make();
            return log == null
                    ? new Verification(producerId, epoch)
                    : log.transactions().verify(producerId, epoch);
        }

        @Override
        public boolean verified(Verification asked) {
            return false;
        }

        @Override
        public List<Aborted> abortedIn(long from, long to) {
            return List.of();
        }

        @Override
        public List<Producer> producers() {
            return List.of();
        }
    }
}
