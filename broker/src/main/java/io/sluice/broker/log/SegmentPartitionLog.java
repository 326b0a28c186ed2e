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
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreFailure;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A partition in one segment for one term of its container.
 *
 * <pre>
 *   0 ........ start ...... readable ...... durable ...... sequenced    offsets; each is the beginning of an entry,
 *   dropped    seen by all  undecided       in flight                   except start, which may lie inside one
 * </pre>
 */
final class SegmentPartitionLog implements PartitionLog {
    /** Bytes of one read, whatever is asked for; a larger entry is read alone. */
    private static final int MAX_READ = 8 << 20;

    private final SegmentContainer container;
    private final long partitionId;
    private final int epoch;
    private final PartitionState state;
    private final Subscriptions subscriptions;
    private final PartitionEnds ends;
    private final ParkedReaders parked;
    private final ReadPlaces places = new ReadPlaces();
    private @Nullable StoreFailure closed;
    /** By the container's clock: the log's clock moves by bounded steps, and not before. */
    private long nextClockNote = Long.MIN_VALUE;

    SegmentPartitionLog(
            SegmentContainer container, long partitionId, PartitionState state, Subscriptions subscriptions) {
        this.container = container;
        this.partitionId = partitionId;
        this.epoch = Math.toIntExact(container.term());
        this.state = state;
        this.ends = new PartitionEnds(state);
        this.parked = new ParkedReaders(ends);
        this.subscriptions = subscriptions;
    }

    @Override
    public SegmentContainer container() {
        return container;
    }

    @Override
    public long partitionId() {
        return partitionId;
    }

    /** Where new entries go. */
    long segment() {
        return partitionId;
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
        long next = base + EntryHeader.offsets(entry, at);
        long end = state.endPosition() + entry.readableBytes();
        EntryHeader.assign(entry, at, base, epoch);
        container.append(segment(), entry, new Appending(this, reply, base, next, end));
        if (state.nextOffset() == next) {
            ends.sequenced(end, next);
            sequenced.accept(base);
        }
    }

    private void noteClock(long now) {
        nextClockNote = now + state.clockGrain();
        note(Durable.IGNORED, out -> PartitionNotes.writeClock(out, state.nextClock(now)));
    }

    private void note(Durable done, Consumer<ByteBuf> writer) {
        ByteBuf note = Unpooled.buffer(32);
        try {
            writer.accept(note);
            container.note(segment(), note, done);
        } finally {
            note.release();
        }
    }

    private record Appending(SegmentPartitionLog log, AppendReply reply, long base, long next, long endPosition)
            implements Durable {
        @Override
        public void durable() {
            log.durableTo(endPosition);
            reply.appended(base, next - 1);
        }

        @Override
        public void failed(StoreFailure why) {
            reply.failed(why);
        }
    }

    /** The first append may still be in flight; then so is the answer. */
    private void repeat(Duplicate d, AppendReply reply) {
        if (ends.areEqual() || d.lastOffset() >= 0 && d.lastOffset() < ends.durable()) {
            reply.duplicate(d.baseOffset(), d.lastOffset());
        } else {
            container.barrier(new Repeating(reply, d));
        }
    }

    private record Repeating(AppendReply reply, Duplicate of) implements Durable {
        @Override
        public void durable() {
            reply.duplicate(of.baseOffset(), of.lastOffset());
        }

        @Override
        public void failed(StoreFailure why) {
            reply.failed(why);
        }
    }

    /** Bytes below {@code position} are durable. */
    void durableTo(long position) {
        if (ends.durableTo(position)) {
            parked.endMoved();
        }
    }

    long durablePosition() {
        return ends.durablePosition();
    }

    @Override
    public void read(long offset, int maxBytes, Isolation isolation, EntriesReply reply) {
        long end = ends.readable(isolation);
        if (closed != null) {
            reply.failed(closed);
        } else if (offset < state.startOffset() || offset > ends.durable()) {
            reply.outOfRange(state.startOffset(), ends.durable());
        } else if (offset >= end) {
            reply.atEnd();
        } else {
            readFrom(places.nearest(state.index(), offset), offset, end, Math.clamp(maxBytes, 1, MAX_READ), reply);
        }
    }

    private void readFrom(Point place, long offset, long end, int maxBytes, EntriesReply reply) {
        boolean quick = place.offset() == offset && end == ends.durable() && state.isUniformFrom(offset);
        if (!quick || !readRun(place, maxBytes, reply)) {
            new EntryRead(this, offset, end, maxBytes, reply).start(place.position(), null);
        }
    }

    /**
     * The quick way: entries of one format from {@code place} up to a point of the index, so that no header is looked at.
     * False if the cache does not have them all or the index knows no border that uses at least half of the room.
     */
    private boolean readRun(Point place, int maxBytes, EntriesReply reply) {
        long limit = place.position() + maxBytes;
        long endPosition = ends.durablePosition();
        long endOffset = ends.durable();
        boolean all = limit >= endPosition;
        if (!all) {
            int border = state.index().floorPosition(limit);
            endPosition = state.index().position(border);
            endOffset = state.index().offset(border);
        }
        long length = endPosition - place.position();
        if (length <= 0 || !all && length < maxBytes / 2) {
            return false;
        }
        ByteBuf bytes = container.readCached(segment(), place.position(), (int) length);
        if (bytes == null) {
            return false;
        }
        if (bytes.readableBytes() < length) {
            bytes.release();
            return false;
        }
        readTo(endOffset, endPosition);
        reply.entries(new Entries(bytes, state.lastFormat(), endOffset));
        return true;
    }

    /** A reader got this far and will go on from here. */
    void readTo(long offset, long position) {
        if (offset < ends.durable()) {
            places.add(offset, position);
        }
    }

    @Override
    public long bytesAfter(long offset) {
        if (offset >= ends.durable()) {
            return 0;
        }
        int point = state.index().floorOffset(Math.max(offset, state.startOffset()));
        return point < 0
                ? sizeBytes()
                : Math.max(0, ends.durablePosition() - state.index().position(point));
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
        int bySize = bytes >= sizeBytes() ? -1 : index.floorPosition(ends.durablePosition() - bytes);
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
            cut(offset, done);
        }
    }

    private void cut(long offset, Durable done) {
        Point at = state.cutFor(offset);
        note(Durable.IGNORED, out -> PartitionNotes.writeStart(out, offset, at.offset(), at.position()));
        container.truncate(segment(), at.position(), done);
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
    public long exclusiveEpoch() {
        return state.exclusiveEpoch();
    }

    @Override
    public void raiseExclusiveEpoch(long epoch, Durable done) {
        if (closed != null) {
            done.failed(closed);
        } else if (epoch <= state.exclusiveEpoch()) {
            container.barrier(done);
        } else {
            note(done, out -> PartitionNotes.writeExclusiveEpoch(out, epoch));
        }
    }

    @Override
    public Subscriptions subscriptions() {
        return subscriptions;
    }

    @Override
    public long sizeBytes() {
        return Math.max(0, ends.durablePosition() - state.startPosition());
    }

    /** The term is over or the segment is deleted. */
    void closed(StoreFailure why) {
        closed = why;
        parked.closed(why);
    }
}
