package io.sluice.broker.log;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.AppendVerdict.Accept;
import io.sluice.broker.log.AppendVerdict.Duplicate;
import io.sluice.broker.log.AppendVerdict.Refuse;
import io.sluice.broker.log.OffsetIndex.Point;
import io.sluice.broker.subscription.Subscriptions;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.ReadReply;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreFailure;
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
    private final OtherContainers others;
    private final PartitionState state;
    private final Subscriptions subscriptions;
    private final PartitionEnds ends;
    private final PartitionTransactions transactions;
    private final PartitionCompaction compaction;
    private final LeftBehind leftBehind;
    private final ParkedReaders parked;
    /** Null until the first watcher. */
    private @Nullable LogWatchers watchers;

    private final LogReads reads;
    private final LogView view;
    private int epoch;
    private @Nullable StoreFailure closed;
    /** The note that says so is on its way. */
    private boolean terminating;
    /** By the container's clock: the log's clock moves by bounded steps, and not before. */
    private long nextClockNote = Long.MIN_VALUE;

    /** Nothing was sequenced in this term. */
    private boolean beforeFirst = true;

    private long appendedBytes;
    private long appends;
    private long appendedEvents;

    SegmentPartitionLog(
            SegmentContainer container, OtherContainers others, PartitionState state, Subscriptions subscriptions) {
        this.container = container;
        this.others = others;
        this.state = state;
        this.ends = new PartitionEnds(state);
        this.transactions = new StateTransactions(state);
        this.compaction = new LogCompaction(this, state, ends);
        this.reads = new LogReads(this, state, ends);
        this.view = new LogView(this, state);
        this.leftBehind = new LeftBehind(this, state, others);
        this.parked = new ParkedReaders(ends);
        this.subscriptions = subscriptions;
    }

    /** The state is that of the partition; before anybody else sees this. */
    void begin() {
        epoch = Math.toIntExact(container.term() + state.epochs().aboveTerm());
    }

    @Override
    public SegmentContainer container() {
        return container;
    }

    @Override
    public long partitionId() {
        return state.offsets().extents().partitionId();
    }

    @Override
    public long ledgerAt(long offset) {
        return partitionId() + state.ledgers().at(offset);
    }

    @Override
    public long offsetOf(long ledger, long entry) {
        return state.ledgers().offsetOf(ledger - partitionId(), entry);
    }

    Extents extents() {
        return state.offsets().extents();
    }

    /** Where new entries go. */
    long segment() {
        return extents().active().segment();
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
        return state.epochs().endOf(asked, epoch, ends.durable());
    }

    @Override
    public void append(ByteBuf entry, AppendReply reply) {
        append(entry, reply, offset -> {});
    }

    @Override
    public void append(ByteBuf entry, AppendReply reply, LongConsumer sequenced) {
        try {
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
        container.append(segment(), entry, new Appending(this, reply, base, next, end));
        if (state.nextOffset() == next) {
            appendedBytes += size;
            appends++;
            appendedEvents += next - base;
            ends.sequenced(end, next);
            sequenced.accept(base);
        }
    }

    /** Begins a new ledger of message ids: what an earlier term has acknowledged may be lost, and so may be what this one will. */
    private void beginLedger(long offset) {
        boolean wanted = container.mayLoseAcknowledged() || !state.ledgers().isEmpty();
        if (wanted && epoch <= MessageLedgers.LAST_EPOCH) {
            note(Durable.IGNORED, new PartitionNote.Ledger(offset, epoch));
        }
    }

    private void noteClock(long now) {
        nextClockNote = now + state.clockGrain();
        note(Durable.IGNORED, new PartitionNote.Clock(state.nextClock(now)));
    }

    void note(Durable done, PartitionNote note) {
        ByteBuf bytes = Unpooled.buffer(32);
        try {
            note.write(bytes);
            container.note(segment(), bytes, done);
        } finally {
            bytes.release();
        }
    }

    /** The first append may still be in flight; then so is the answer. */
    private void repeat(Duplicate d, AppendReply reply) {
        whenDurable(d.lastOffset() < 0 ? Long.MAX_VALUE : d.lastOffset(), new Repeating(reply, d));
    }

    private void whenDurable(long offset, Durable done) {
        if (ends.isAllDurable() || offset < ends.durable()) {
            done.durable();
        } else {
            container.barrier(done);
        }
    }

    /** Bytes below {@code position} are durable. */
    void durableTo(long position) {
        if (ends.durableTo(position)) {
            parked.endMoved();
            moved();
        }
    }

    /** An end or the start has moved. */
    void moved() {
        if (watchers != null) {
            watchers.moved();
        }
    }

    @Override
    public PartitionCompaction compaction() {
        return compaction;
    }

    /** Why it takes nothing any more, or null. */
    @Nullable
    StoreFailure closed() {
        return closed;
    }

    @Override
    public PartitionTransactions transactions() {
        return transactions;
    }

    @Override
    public void read(long offset, int maxBytes, Isolation isolation, EntriesReply reply) {
        reads.read(offset, maxBytes, isolation, reply);
    }

    @Override
    public CompactedView view() {
        return view;
    }

    LogReads reads() {
        return reads;
    }

    @Override
    public long bytesAfter(long offset) {
        return offset >= ends.durable() ? 0 : state.offsets().bytesBetween(offset, ends.durablePosition());
    }

    @Override
    public Waiting await(long offset, Isolation isolation, TailWaiter waiter) {
        if (closed != null) {
            waiter.closed(closed);
        } else if (ends.readable(isolation) > offset) {
            waiter.moreToRead();
        } else {
            return parked.park(offset, isolation, waiter);
        }
        return () -> {};
    }

    @Override
    public Waiting watch(Watcher watcher) {
        if (closed != null) {
            watcher.closed(closed);
            return () -> {};
        }
        if (watchers == null) {
            watchers = new LogWatchers();
        }
        return watchers.add(watcher);
    }

    @Override
    public void offsetAtTime(long timestamp, TimeReply reply) {
        if (closed != null) {
            reply.failed(closed);
        } else {
            new TimeSearch(this, state, timestamp, reply).start();
        }
    }

    @Override
    public OffsetAndTime latestTimestamp() {
        return state.index().latest();
    }

    @Override
    public long firstKept(long olderThan, long bytes) {
        OffsetIndex index = state.index();
        int byAge = index.firstYoung(olderThan);
        long cut = byAge == index.size() ? state.nextOffset() : index.offset(byAge);
        int bySize = bytes >= sizeBytes()
                ? -1
                : index.floorPosition(extents().positionBefore(ends.durablePosition(), bytes));
        if (bySize >= 0) {
            cut = Math.max(cut, index.offset(bySize));
        }
        return Math.clamp(cut, state.startOffset(), ends.durable());
    }

    @Override
    public void deleteBefore(long offset, Durable done) {
        if (offset > ends.durable()) {
            throw new IllegalArgumentException("offset " + offset + " is past the end " + ends.durable());
        }
        if (closed != null) {
            done.failed(closed);
        } else if (offset <= state.startOffset()) {
            container.barrier(done);
        } else {
            leftBehind.cut(offset, state.cutFor(offset), done);
        }
    }

    /** Takes away what lies below the start, up to the entry that begins at {@code at}. */
    void cutAgain(Point at) {
        leftBehind.cut(state.startOffset(), at, Durable.IGNORED);
    }

    boolean isHere(Extent extent) {
        return extent.container() == container.id();
    }

    @Override
    public void removeElsewhere() {
        leftBehind.removeElsewhere();
    }

    /** As {@link SegmentContainer#read}, of an extent that lies here or elsewhere. */
    void read(Extent extent, long position, int maxBytes, ReadReply reply) {
        if (isHere(extent)) {
            container.read(extent.segment(), extent.inSegment(position), maxBytes, reply);
        } else {
            others.read(container, extent, extent.inSegment(position), maxBytes, reply);
        }
    }

    /** As {@link SegmentContainer#readUncached}; the extent lies here. */
    void readUncached(Extent extent, long position, int maxBytes, ReadReply reply) {
        container.readUncached(extent.segment(), extent.inSegment(position), maxBytes, reply);
    }

    /** As {@link SegmentContainer#readCached}; the extent lies here. */
    @Nullable
    ByteBuf readCached(Extent extent, long position, int maxBytes) {
        return container.readCached(extent.segment(), extent.inSegment(position), maxBytes);
    }

    @Override
    public long producerIdOf(String producerName) {
        return PulsarProducers.idOf(producerName);
    }

    @Override
    public long lastSequenceId(long producerId) {
        return state.pulsarProducers().lastSequenceId(producerId);
    }

    @Override
    public void whenLastIsDurable(long producerId, Durable done) {
        whenDurable(state.pulsarProducers().lastOffset(producerId), done);
    }

    @Override
    public long exclusiveEpoch() {
        return state.exclusiveWriter().epoch();
    }

    @Override
    public void raiseExclusiveEpoch(long epoch, Durable done) {
        if (closed != null) {
            done.failed(closed);
        } else if (epoch <= exclusiveEpoch()) {
            container.barrier(done);
        } else {
            note(done, new PartitionNote.ExclusiveEpoch(epoch));
        }
    }

    @Override
    public void terminate(Durable done) {
        if (closed != null) {
            done.failed(closed);
            return;
        }
        Durable then = Durable.of(
                () -> {
                    if (terminating) {
                        terminating = false;
                        parked.terminated();
                    }
                    done.durable();
                },
                done::failed);
        if (!state.termination().terminated()) {
            terminating = true;
            note(Durable.IGNORED, new PartitionNote.Terminated());
        }
        // Not the note: a log that defers the sync acknowledges what a failure can still take back.
        container.barrier(then);
    }

    @Override
    public boolean isTerminated() {
        return state.termination().terminated() && !terminating;
    }

    @Override
    public Subscriptions subscriptions() {
        return subscriptions;
    }

    @Override
    public long sizeBytes() {
        return extents().bytesBetween(state.offsets().startPosition(), ends.durablePosition());
    }

    @Override
    public Traffic traffic() {
        return new Traffic(appendedBytes, appends, appendedEvents, reads.bytes(), reads.reads(), reads.events());
    }

    /** The term is over or the segment is deleted. */
    void closed(StoreFailure why) {
        closed = why;
        parked.closed(why);
        if (watchers != null) {
            watchers.closed(why);
        }
    }
}
