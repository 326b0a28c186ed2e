package io.sluice.pulsar.dispatch;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.DelayedRuns;
import io.sluice.broker.log.Entries;
import io.sluice.broker.log.EntriesReply;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.pulsar.format.MalformedEntryException;
import io.sluice.pulsar.format.StoredEntry;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.StoreFailure;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.jspecify.annotations.Nullable;

/**
 * Reads a partition's entries behind what its index of delayed entries covers, and gives those with a time to the index: as they come, and
 * at the start the few that stand in no run. Where none has a time, nothing is read. Loop only.
 */
final class DelayFollower implements EntriesReply, PartitionLog.TailWaiter {
    private static final int READ_BYTES = 256 << 10;
    private static final long RETRY_MILLIS = 250;

    private final PartitionLog log;
    private final DelayIndex index;
    private MessageMetadata scratch = new MessageMetadata();

    /** Everything below is in the index. */
    private long offset;

    private boolean begun;
    private boolean reading;
    private boolean queued;
    private boolean closed;
    private PartitionLog.@Nullable Waiting parked;

    DelayFollower(PartitionLog log, DelayIndex index) {
        this.log = log;
        this.index = index;
    }

    long offset() {
        return offset;
    }

    /** The index has what its runs have. */
    void begin() {
        DelayedRuns known = log.delays();
        long from = known.unindexedFrom();
        if (!begun) {
            begun = true;
            offset = from < 0 ? Math.max(known.indexedTo(), known.delayedEnd()) : from;
        }
        follow();
    }

    /** Goes on, if there is something. */
    void follow() {
        if (!begun || reading || queued || parked != null || closed) {
            return;
        }
        long end = log.readableEnd(Isolation.COMMITTED);
        if (log.delays().delayedEnd() <= offset) {
            offset = Math.max(offset, end);
        } else if (offset >= end) {
            parked = log.await(offset, Isolation.COMMITTED, this);
        } else {
            reading = true;
            log.read(offset, READ_BYTES, Isolation.COMMITTED, this);
        }
    }

    private void followLater() {
        queued = true;
        // if the container stops first, the hub ends with it
        log.container().execute(LoopTask.of(() -> {
            queued = false;
            follow();
        }));
    }

    void close() {
        closed = true;
        if (parked != null) {
            parked.cancel();
            parked = null;
        }
    }

    @Override
    public void moreToRead() {
        parked = null;
        follow();
    }

    @Override
    public void closed(StoreFailure why) {
        parked = null;
        closed = true;
    }

    @Override
    public void entries(Entries entries) {
        reading = false;
        ByteBuf bytes = entries.bytes();
        try {
            if (!closed && (entries.format() != EntryFormat.PULSAR || takeAll(bytes, entries.nextOffset()))) {
                offset = entries.nextOffset();
                index.followed(offset);
                followLater();
            }
        } finally {
            bytes.release();
        }
    }

    /** False if the index has no room: it calls when it has. */
    private boolean takeAll(ByteBuf bytes, long end) {
        LeftOut leftOut = new LeftOut(log, end);
        boolean due = false;
        boolean room = true;
        for (int at = bytes.readerIndex(); room && at < bytes.writerIndex(); at += EntryHeader.size(bytes, at)) {
            long base = EntryHeader.baseOffset(bytes, at);
            int offsets = EntryHeader.offsets(bytes, at);
            if (base + offsets > offset && !leftOut.is(bytes, at) && EntryHeader.isDelayed(bytes, at)) {
                long time = deliverAt(bytes, at);
                if (time > index.now()) {
                    room = index.add(time, base, offsets);
                } else {
                    // who came by before may have passed over it
                    index.due(base, offsets);
                    due = true;
                }
            }
            if (room) {
                offset = Math.max(offset, base + offsets);
            }
        }
        if (due) {
            index.readOn();
        }
        return room;
    }

    /** 0 if the metadata does not read. */
    private long deliverAt(ByteBuf entries, int at) {
        try {
            StoredEntry.metadata(entries, at, scratch);
            return scratch.hasDeliverAtTime() ? scratch.getDeliverAtTime() : 0;
        } catch (MalformedEntryException e) {
            scratch = new MessageMetadata(); // one that broke off may never be cleared
            return 0;
        }
    }

    @Override
    public void atEnd() {
        reading = false;
        followLater();
    }

    @Override
    public void outOfRange(long startOffset, long endOffset) {
        reading = false;
        if (offset < startOffset) {
            offset = startOffset;
            followLater();
        }
    }

    @Override
    public void failed(StoreFailure why) {
        if (!log.container().onLoop()) {
            return; // the container has stopped, and with it all there is
        }
        if (why instanceof StoreFailure.Corrupt) {
            index.giveUpFollowing();
            return;
        }
        reading = false;
        queued = true;
        log.container().schedule(RETRY_MILLIS, LoopTask.of(() -> {
            queued = false;
            follow();
        }));
    }
}
