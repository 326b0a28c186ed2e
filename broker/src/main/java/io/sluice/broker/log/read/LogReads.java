package io.sluice.broker.log.read;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.log.Entries;
import io.sluice.broker.log.EntriesReply;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.PartitionLog.TimeReply;
import io.sluice.broker.log.index.OffsetIndex.Point;
import io.sluice.broker.log.state.Extent;
import io.sluice.broker.log.state.PartitionEnds;
import io.sluice.broker.log.state.PartitionState;
import io.sluice.store.segment.StoreFailure;

/** Reads of a partition's log: from the cache at once where it can be, else piece by piece. Loop only. */
public final class LogReads implements EntrySource {
    /** Bytes of one read, whatever is asked for; a larger entry is read alone. */
    static final int MAX_READ = 8 << 20;

    private final ExtentSource source;
    private final PartitionState state;
    private final PartitionEnds ends;
    private final ReadPositionHints hints = new ReadPositionHints();
    private long bytes;
    private long reads;
    private long events;

    public LogReads(ExtentSource source, PartitionState state, PartitionEnds ends) {
        this.source = source;
        this.state = state;
        this.ends = ends;
    }

    @Override
    public Extent at(long position) {
        return state.offsets().extents().at(position);
    }

    @Override
    public long limit() {
        return ends.durablePosition();
    }

    @Override
    public int layout() {
        return state.offsets().layout();
    }

    public long bytes() {
        return bytes;
    }

    public long reads() {
        return reads;
    }

    public long events() {
        return events;
    }

    /** See {@link PartitionLog#read}. */
    public void read(long offset, int maxBytes, Isolation isolation, EntriesReply reply) {
        long end = ends.readable(isolation);
        if (source.closed() != null) {
            reply.failed(source.closed());
        } else if (offset < state.startOffset() || offset > ends.durable()) {
            reply.outOfRange(state.startOffset(), ends.durable());
        } else if (offset >= end) {
            reply.atEnd();
        } else {
            readFrom(offset, end, Math.clamp(maxBytes, 1, MAX_READ), reply);
        }
    }

    /** See {@link PartitionLog#offsetAtTime}. */
    public void offsetAtTime(long timestamp, TimeReply reply) {
        StoreFailure why = source.closed();
        if (why != null) {
            reply.failed(why);
        } else {
            new TimeSearch(source, this, state, timestamp, reply).start();
        }
    }

    /** For a read that was overtaken by a compaction. */
    private void readAgain(long offset, long end, int maxBytes, EntriesReply reply) {
        if (source.closed() != null) {
            reply.failed(source.closed());
        } else if (offset < state.startOffset()) {
            reply.outOfRange(state.startOffset(), ends.durable());
        } else {
            readFrom(offset, end, maxBytes, reply);
        }
    }

    private void readFrom(long offset, long end, int maxBytes, EntriesReply reply) {
        Point place = hints.nearest(layout(), state.index(), offset);
        boolean quick = place.offset() == offset
                && end == ends.durable()
                && state.offsets().isUniformFrom(offset);
        if (!quick || !readRun(place, end, maxBytes, reply)) {
            new Read(offset, end, maxBytes, reply).start(place.position(), null);
        }
    }

    /**
     * The quick way: entries of one family of formats from {@code place} up to a point of the index, so that no header is looked at.
     * If the cache does not have them all, what it has is the beginning of a read as any other. False if the index knows no border that
     * uses at least half of the room: the cache was not asked.
     */
    private boolean readRun(Point place, long end, int maxBytes, EntriesReply reply) {
        Extent active = state.offsets().extents().active();
        if (place.position() < active.position() || !source.isHere(active)) {
            return false;
        }
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
        ByteBuf run = source.readCached(active, place.position(), (int) length);
        if (run == null) {
            new Read(place.offset(), end, maxBytes, reply).startUncached(place.position());
        } else if (run.readableBytes() < length) {
            new Read(place.offset(), end, maxBytes, reply).start(place.position(), run);
        } else {
            readTo(place.offset(), endOffset, endPosition, length);
            reply.entries(new Entries(run, state.offsets().lastFormat(), endOffset));
        }
        return true;
    }

    /** A reader got from one offset to another, with so many bytes, and will go on from there. */
    private void readTo(long from, long offset, long position, long length) {
        count(from, offset, length);
        if (offset < ends.durable()) {
            hints.add(layout(), offset, position);
        }
    }

    /** A reader got so many bytes, from one offset to another. */
    void count(long from, long offset, long length) {
        bytes += length;
        reads++;
        events += Math.max(0, offset - from);
    }

    private final class Read extends EntryRead {
        Read(long offset, long end, int maxBytes, EntriesReply reply) {
            super(source, LogReads.this, offset, end, maxBytes, reply);
        }

        /** Entries below the start are not given out: of their transactions it is not known any more which were aborted. */
        @Override
        int look(ByteBuf read) {
            if (offset >= state.startOffset()) {
                return super.look(read);
            }
            finish();
            reply.outOfRange(state.startOffset(), ends.durable());
            return 0;
        }

        @Override
        void readTo(long next, long position, int length) {
            LogReads.this.readTo(offset, next, position, length);
        }

        @Override
        void again() {
            readAgain(offset, end, maxBytes, reply);
        }

        @Override
        void fail(StoreFailure why) {
            if (why instanceof StoreFailure.OutOfRange && offset < state.startOffset()) {
                reply.outOfRange(state.startOffset(), ends.durable());
            } else {
                reply.failed(why);
            }
        }
    }
}
