package io.sluice.broker.log.open;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.log.AppendReply;
import io.sluice.broker.log.CompactedView;
import io.sluice.broker.log.CompactionTarget;
import io.sluice.broker.log.DelayedRuns;
import io.sluice.broker.log.EntriesReply;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.PartitionProducers;
import io.sluice.broker.log.PartitionRetention;
import io.sluice.broker.log.PartitionTransactions;
import io.sluice.broker.subscription.Subscriptions;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A partition that is made by its first write: readers find it empty until then. Once it is made this passes everything on. A subclass
 * says how it is found and made.
 */
public abstract class LazyPartitionLog implements PartitionLog, PartitionCreator {
    private static final OffsetAndTime NO_ENTRY = new OffsetAndTime(-1, -1);

    @Override
    public abstract @Nullable PartitionLog existing();

    @Override
    public abstract @Nullable PartitionLog getOrCreate();

    @Override
    public abstract StoreFailure gone();

    /** Lets a reader wait until it is made, and then on. Not if it {@link #isGone}. */
    protected abstract Waiting park(long offset, Isolation isolation, TailWaiter waiter);

    @Override
    public abstract boolean isGone();

    @Override
    public PartitionLog createIfMissing() {
        PartitionLog log = getOrCreate();
        return log == null ? this : log;
    }

    @Override
    public long ledgerAt(long offset) {
        PartitionLog log = existing();
        return log == null ? partitionId() : log.ledgerAt(offset);
    }

    @Override
    public long offsetOf(long ledger, long entry) {
        PartitionLog log = existing();
        return log == null ? 0 : log.offsetOf(ledger, entry);
    }

    /** Readers that wait for it to be made are not counted. */
    @Override
    public int waitingReaders() {
        PartitionLog log = existing();
        return log == null ? 0 : log.waitingReaders();
    }

    @Override
    public boolean holdUntil(long millis) {
        PartitionLog log = existing();
        return log != null && log.holdUntil(millis);
    }

    @Override
    public long startOffset() {
        PartitionLog log = existing();
        return log == null ? 0 : log.startOffset();
    }

    @Override
    public long sequencedEnd() {
        PartitionLog log = existing();
        return log == null ? 0 : log.sequencedEnd();
    }

    @Override
    public long durableEnd() {
        PartitionLog log = existing();
        return log == null ? 0 : log.durableEnd();
    }

    @Override
    public long readableEnd(Isolation isolation) {
        PartitionLog log = existing();
        return log == null ? 0 : log.readableEnd(isolation);
    }

    @Override
    public EpochEnd endOfEpoch(int epoch) {
        PartitionLog log = existing();
        if (log != null) {
            return log.endOfEpoch(epoch);
        }
        return epoch < 0 || epoch > leaderEpoch() ? new EpochEnd(-1, -1) : new EpochEnd(epoch, 0);
    }

    @Override
    public void append(ByteBuf entry, AppendReply reply, LongConsumer sequenced) {
        PartitionLog log = getOrCreate();
        if (log == null) {
            entry.release();
            reply.failed(gone());
        } else {
            log.append(entry, reply, sequenced);
        }
    }

    @Override
    public CompactionTarget compaction() {
        PartitionLog log = existing();
        return log == null ? EmptyCompaction.HERE : log.compaction();
    }

    @Override
    public DelayedRuns delays() {
        PartitionLog log = existing();
        return log == null ? NoDelayedRuns.HERE : log.delays();
    }

    @Override
    public CompactedView view() {
        PartitionLog log = existing();
        return log == null ? EmptyView.HERE : log.view();
    }

    @Override
    public PartitionTransactions transactions() {
        PartitionLog log = existing();
        return log == null ? new LazyTransactions(this) : log.transactions();
    }

    @Override
    public PartitionProducers producers() {
        PartitionLog log = existing();
        return log == null ? new LazyProducers(this) : log.producers();
    }

    @Override
    public PartitionRetention retention() {
        PartitionLog log = existing();
        return log == null ? new EmptyRetention(container()) : log.retention();
    }

    @Override
    public Subscriptions subscriptions() {
        PartitionLog log = existing();
        return log == null ? new LazySubscriptions(this, null) : log.subscriptions();
    }

    @Override
    public void read(long offset, int maxBytes, Isolation isolation, EntriesReply reply) {
        PartitionLog log = existing();
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
        PartitionLog log = existing();
        return log == null ? 0 : log.bytesAfter(offset);
    }

    @Override
    public Waiting await(long offset, Isolation isolation, TailWaiter waiter) {
        PartitionLog log = existing();
        if (log != null) {
            return log.await(offset, isolation, waiter);
        }
        if (isGone()) {
            waiter.closed(gone());
            return () -> {};
        }
        return park(offset, isolation, waiter);
    }

    @Override
    public Waiting watch(Watcher watcher) {
        PartitionLog log = existing();
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
                waiting = LazyPartitionLog.this.watch(watcher);
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
        PartitionLog log = existing();
        if (log == null) {
            reply.found(NO_ENTRY);
        } else {
            log.offsetAtTime(timestamp, reply);
        }
    }

    @Override
    public OffsetAndTime latestTimestamp() {
        PartitionLog log = existing();
        return log == null ? NO_ENTRY : log.latestTimestamp();
    }

    @Override
    public void terminate(Durable done) {
        PartitionLog log = getOrCreate();
        if (log == null) {
            done.failed(gone());
        } else {
            log.terminate(done);
        }
    }

    @Override
    public boolean isTerminated() {
        PartitionLog log = existing();
        return log != null && log.isTerminated();
    }

    @Override
    public long sizeBytes() {
        PartitionLog log = existing();
        return log == null ? 0 : log.sizeBytes();
    }

    @Override
    public void findStoredEnd(Answer<Long> answer) {
        PartitionLog log = existing();
        if (log == null) {
            answer.complete(0L);
        } else {
            log.findStoredEnd(answer);
        }
    }

    @Override
    public Traffic traffic() {
        PartitionLog log = existing();
        return log == null ? Traffic.NONE : log.traffic();
    }
}
