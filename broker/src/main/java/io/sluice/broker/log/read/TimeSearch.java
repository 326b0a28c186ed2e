package io.sluice.broker.log.read;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.PartitionLog.OffsetAndTime;
import io.sluice.broker.log.PartitionLog.TimeReply;
import io.sluice.broker.log.index.OffsetIndex;
import io.sluice.broker.log.state.PartitionState;
import io.sluice.store.segment.StoreFailure;

/** Finds the first entry that reaches a timestamp; passes over what the index says is too old. */
final class TimeSearch extends PiecewiseRead {
    private final ExtentSource extents;
    private final EntrySource entries;
    private final PartitionState state;
    private final long timestamp;
    private final TimeReply reply;

    TimeSearch(ExtentSource extents, EntrySource entries, PartitionState state, long timestamp, TimeReply reply) {
        super(extents, entries);
        this.extents = extents;
        this.entries = entries;
        this.state = state;
        this.timestamp = timestamp;
        this.reply = reply;
    }

    void start() {
        OffsetIndex index = state.index();
        int point = index.firstReaching(timestamp, index.floorOffset(state.startOffset()));
        if (point == index.size() || index.position(point) >= limit()) {
            reply.found(new OffsetAndTime(-1, -1));
        } else {
            start(index.position(point), null);
        }
    }

    @Override
    int look(ByteBuf read) {
        int at = read.readerIndex();
        int end = read.writerIndex();
        while (end - at >= EntryHeader.SIZE) {
            int size = EntryHeader.size(read, at);
            if (size < EntryHeader.SIZE) {
                failed(new StoreFailure.Corrupt("no entry begins at " + place(position() + at - read.readerIndex())));
                return 0;
            }
            if (EntryHeader.maxTimestamp(read, at) >= timestamp
                    && EntryHeader.lastOffset(read, at) >= state.startOffset()) {
                return found(EntryHeader.baseOffset(read, at), timeOf(read, at));
            }
            if (size >= end - at) {
                return continueAt(position() + at - read.readerIndex() + size);
            }
            at += size;
        }
        if (at > read.readerIndex()) {
            skipTo(position() + at - read.readerIndex());
        }
        return EntryRead.WINDOW;
    }

    /** Time of the first message; that of all messages of a Pulsar entry, whose base timestamp may be something else. */
    private static long timeOf(ByteBuf read, int at) {
        boolean isPulsar = EntryFormat.isPulsar(EntryHeader.format(read, at));
        return isPulsar ? EntryHeader.maxTimestamp(read, at) : EntryHeader.baseTimestamp(read, at);
    }

    private int found(long offset, long time) {
        finish();
        reply.found(new OffsetAndTime(offset, time));
        return 0;
    }

    private int continueAt(long position) {
        OffsetIndex index = state.index();
        int covering = index.floorPosition(position);
        int next = index.firstReaching(timestamp, covering);
        long target = next == covering || next == index.size() ? position : index.position(next);
        if (next == index.size() || target >= limit()) {
            return found(-1, -1);
        }
        skipTo(target);
        return EntryRead.WINDOW;
    }

    @Override
    void again() {
        new TimeSearch(extents, entries, state, timestamp, reply).start();
    }

    @Override
    void fail(StoreFailure why) {
        reply.failed(why);
    }
}
