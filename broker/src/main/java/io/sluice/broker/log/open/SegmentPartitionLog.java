package io.sluice.broker.log.open;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EntryHeader;
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
import io.sluice.broker.log.index.OffsetIndex;
import io.sluice.broker.log.read.LogReads;
import io.sluice.broker.log.read.LogTail;
import io.sluice.broker.log.read.ViewReads;
import io.sluice.broker.log.state.AppendVerdict.Accept;
import io.sluice.broker.log.state.AppendVerdict.Duplicate;
import io.sluice.broker.log.state.AppendVerdict.Refuse;
import io.sluice.broker.log.state.PartitionEnds;
import io.sluice.broker.log.state.PartitionNote;
import io.sluice.broker.log.state.PartitionState;
import io.sluice.broker.subscription.Subscriptions;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreFailure;
import java.util.UUID;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A partition for one term of the container in which it is appended to.
 *
 * <pre>
 *   0 ........ start ...... readable ...... durable ...... sequenced    offsets; each is the beginning of an entry,
 *   dropped    seen by all  undecided       in flight                   except start, which may lie inside one
 * </pre>
 */
final class SegmentPartitionLog implements PartitionLog {
    private final SegmentContainer container;
    private final UUID topicId;
    private final RemoteExtents remote;
    private final PartitionStore store;
    private final PartitionState state;
    private final Subscriptions subscriptions;
    private final PartitionEnds ends;
    private final CompactionTarget compaction;
    private final LogRetention retention;
    private final PartitionProducers producers;
    private final LogTail tail;
    private final LogReads reads;
    private final OpenCompactedView view;
    private int epoch;
    /** The note that says so is on its way. */
    private boolean terminating;
    /** By the container's clock: the log's clock moves by bounded steps, and not before. */
    private long nextClockNote = Long.MIN_VALUE;

    /** Nothing was sequenced in this term. */
    private boolean beforeFirst = true;

    /** By the container's clock; 0 while entries are taken. */
    private long heldUntil;

    private long appendedBytes;
    private long appends;
    private long appendedEvents;

    SegmentPartitionLog(
            SegmentContainer container,
            UUID topicId,
            RemoteExtents remote,
            PartitionState state,
            Subscriptions subscriptions) {
        this.container = container;
        this.topicId = topicId;
        this.remote = remote;
        this.state = state;
        this.ends = new PartitionEnds(state);
        this.store = new PartitionStore(container, remote, state.offsets(), ends);
        this.tail = new LogTail(ends);
        this.reads = new LogReads(store, state, ends);
        this.producers = new LogProducers(store, state);
        this.retention = new LogRetention(store, state, ends, remote);
        this.compaction = new OpenCompactionTarget(store, state, ends, retention);
        this.view = new OpenCompactedView(store, state.view(), new ViewReads(store, state.view(), reads), retention);
        this.subscriptions = subscriptions;
    }

    /** The state is that of the partition; before anybody else sees this. */
    void begin() {
        epoch = Math.toIntExact(container.term() + state.aboveTerm());
    }

    @Override
    public SegmentContainer container() {
        return container;
    }

    @Override
    public long partitionId() {
        return state.partitionId();
    }

    @Override
    public UUID topicId() {
        return topicId;
    }

    @Override
    public long ledgerAt(long offset) {
        return state.ledgerAt(offset);
    }

    @Override
    public long offsetOf(long ledger, long entry) {
        return state.offsetOf(ledger, entry);
    }

    @Override
    public int waitingReaders() {
        return tail.waiting();
    }

    @Override
    public boolean holdUntil(long millis) {
        boolean held = heldUntil != 0;
        heldUntil = millis;
        return held;
    }

    @Override
    public long startOffset() {
        return state.startOffset();
    }

    @Override
    public long sequencedEnd() {
        return ends.sequenced();
    }

    @Override
    public long durableEnd() {
        return ends.durable();
    }

    @Override
    public long readableEnd(Isolation isolation) {
        return ends.readable(isolation);
    }

    @Override
    public int leaderEpoch() {
        return epoch;
    }

    @Override
    public EpochEnd endOfEpoch(int asked) {
        return state.endOfEpoch(asked, epoch, ends.durable());
    }

    @Override
    public void append(ByteBuf entry, AppendReply reply, LongConsumer sequenced) {
        try {
            StoreFailure closed = heldUntil == 0 ? store.closed() : closedOrHeld();
            StoreFailure why = closed != null ? closed : tooLarge(entry.readableBytes());
            if (why != null) {
                reply.failed(why);
            } else {
                decide(entry, reply, sequenced);
            }
        } finally {
            entry.release();
        }
    }

    private @Nullable StoreFailure closedOrHeld() {
        StoreFailure closed = store.closed();
        if (closed != null || container.now() >= heldUntil) {
            return closed;
        }
        return new StoreFailure.NotOwner(container.id(), "the topic is being deleted");
    }

    private StoreFailure.@Nullable TooLarge tooLarge(int size) {
        int limit = container.maxAppendBytes();
        return size <= limit
                ? null
                : new StoreFailure.TooLarge(
                        size, limit, "an entry of " + size + " bytes is over the limit of " + limit);
    }

    private void decide(ByteBuf entry, AppendReply reply, LongConsumer sequenced) {
        switch (state.decide(entry)) {
            case Accept accept -> sequence(entry, reply, sequenced);
            case Duplicate d -> repeat(d, reply);
            case Refuse refuse -> reply.rejected(refuse.why());
        }
    }

    private void sequence(ByteBuf entry, AppendReply reply, LongConsumer sequenced) {
        int at = entry.readerIndex();
        long now = container.now();
        if (now >= nextClockNote && state.needsClock(entry, at, now)) {
            noteClock(now);
        }
        long base = state.nextOffset();
        if (beforeFirst) {
            beforeFirst = false;
            beginLedger(base);
        }
        long next = base + EntryHeader.offsets(entry, at);
        int size = entry.readableBytes();
        long end = state.endPosition() + size;
        EntryHeader.assign(entry, at, base, epoch);
        store.append(entry, new PendingAppend(tail, reply, base, next, end));
        if (state.nextOffset() == next) {
            appendedBytes += size;
            appends++;
            appendedEvents += next - base;
            ends.sequenced(end, next);
            sequenced.accept(base);
        }
    }

    private void beginLedger(long offset) {
        if (state.beginsLedger(container.mayLoseAcknowledged(), epoch)) {
            store.note(Durable.IGNORED, new PartitionNote.Ledger(offset, epoch));
        }
    }

    private void noteClock(long now) {
        nextClockNote = now + state.clockGrain();
        store.note(Durable.IGNORED, new PartitionNote.Clock(state.nextClock(now)));
    }

    /** The first append may still be in flight; then so is the answer. */
    private void repeat(Duplicate d, AppendReply reply) {
        store.whenDurable(d.lastOffset() < 0 ? Long.MAX_VALUE : d.lastOffset(), new DuplicateReply(reply, d));
    }

    /** Bytes below {@code position} are durable. */
    void durableTo(long position) {
        tail.durableTo(position);
    }

    /** An end or the start has moved. */
    void moved() {
        tail.moved();
    }

    @Override
    public PartitionProducers producers() {
        return producers;
    }

    @Override
    public PartitionRetention retention() {
        return retention;
    }

    @Override
    public CompactionTarget compaction() {
        return compaction;
    }

    @Override
    public PartitionTransactions transactions() {
        return state.transactions();
    }

    @Override
    public void read(long offset, int maxBytes, Isolation isolation, EntriesReply reply) {
        reads.read(offset, maxBytes, isolation, reply);
    }

    @Override
    public DelayedRuns delays() {
        return state.delays();
    }

    @Override
    public CompactedView view() {
        return view;
    }

    @Override
    public long bytesAfter(long offset) {
        return offset >= ends.durable() ? 0 : state.offsets().bytesBetween(offset, ends.durablePosition());
    }

    @Override
    public Waiting await(long offset, Isolation isolation, TailWaiter waiter) {
        StoreFailure closed = store.closed();
        if (closed != null) {
            waiter.closed(closed);
            return () -> {};
        }
        return tail.await(offset, isolation, waiter);
    }

    @Override
    public Waiting watch(Watcher watcher) {
        StoreFailure closed = store.closed();
        if (closed != null) {
            watcher.closed(closed);
            return () -> {};
        }
        return tail.watch(watcher);
    }

    @Override
    public void offsetAtTime(long timestamp, TimeReply reply) {
        reads.offsetAtTime(timestamp, reply);
    }

    @Override
    public OffsetAndTime latestTimestamp() {
        OffsetIndex index = state.index();
        int point = index.latest();
        return point < 0
                ? new OffsetAndTime(-1, -1)
                : new OffsetAndTime(index.maxOffset(point), index.maxTimestamp(point));
    }

    @Override
    public void terminate(Durable done) {
        StoreFailure closed = store.closed();
        if (closed != null) {
            done.failed(closed);
            return;
        }
        Durable then = Durable.of(
                () -> {
                    if (terminating) {
                        terminating = false;
                        tail.terminated();
                    }
                    done.durable();
                },
                done::failed);
        if (!state.isTerminated()) {
            terminating = true;
            store.note(Durable.IGNORED, new PartitionNote.Terminated());
        }
        // Not the note: a log that defers the sync acknowledges what a failure can still take back.
        container.barrier(then);
    }

    @Override
    public boolean isTerminated() {
        return state.isTerminated() && !terminating;
    }

    @Override
    public Subscriptions subscriptions() {
        return subscriptions;
    }

    @Override
    public long sizeBytes() {
        return retention.sizeBytes();
    }

    @Override
    public void findStoredEnd(Answer<Long> answer) {
        new StoredEnd(container, remote, state, ends, answer).find();
    }

    @Override
    public Traffic traffic() {
        return new Traffic(appendedBytes, appends, appendedEvents, reads.bytes(), reads.reads(), reads.events());
    }

    /** The term is over or the segment is deleted. */
    void closed(StoreFailure why) {
        store.close(why);
        tail.close(why);
    }
}
