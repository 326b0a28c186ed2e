package io.sluice.pulsar.dispatch;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.Entries;
import io.sluice.broker.log.EntriesReply;
import io.sluice.broker.log.PartitionLog;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.StoreFailure;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Reads a subscription's entries and offers them, while somebody takes them. It lives on the container's loop, so a read from
 * the cache and the hand-out are one turn.
 *
 * <p>At most one read is under way. {@link #pump} goes on until there is nothing to read, nobody to take it, or a turn's
 * share of bytes is used up; whatever changes one of these calls it again.
 */
final class EntryPump implements EntriesReply, PartitionLog.TailWaiter {
    private static final int TURN_BYTES = 2 * 1024 * 1024;
    private static final int MIN_READ = 4 * 1024;
    private static final int MAX_READ = 1024 * 1024;
    private static final long RETRY_MILLIS = 250;

    /** Who the entries are for. */
    interface Taker {
        /** Offset of the next entry to read, or -1 if nobody can take one. */
        long wanted();

        /** Bytes that can be taken from {@code offset} on, in entries of this average size; 0 if only the one entry there is wanted. */
        long room(long offset, int averageEntry);

        /** Hands an entry out; false to stop before it. */
        boolean offer(ByteBuf entries, int at, long base, int count);

        /** All entries of a read were offered. */
        void offered();

        /** The log has entries of another protocol next, which have no meaning here. */
        void foreign();

        /** What was wanted is stored and not as it was written; true if nobody wants it any more. */
        boolean damaged(StoreFailure.Corrupt why);

        /** What was wanted is not in the log, which is {@code [start, end)}; true if something else is wanted now. */
        boolean moved(long start, long end);
    }

    private final PartitionLog log;
    private final Taker taker;
    private final AtomicBoolean wakeQueued = new AtomicBoolean();

    private int averageEntry = 1024;
    private boolean reading;
    private boolean pumping;
    private boolean stale;
    private boolean retrying;
    private int turnBytes;
    private boolean closed;
    private PartitionLog.@Nullable Waiting parked;

    EntryPump(PartitionLog log, Taker taker) {
        this.log = log;
        this.taker = taker;
    }

    /** Any thread: pumps soon. */
    void wake() {
        if (wakeQueued.compareAndSet(false, true)) {
            log.container().execute(new LoopTask() {
                @Override
                public void run() {
                    wakeQueued.set(false);
                    pump();
                }

                @Override
                public void abandoned(StoreFailure why) {
                    // the hub tells the consumers
                }
            });
        }
    }

    void pump() {
        if (pumping || reading || closed) {
            return;
        }
        pumping = true;
        turnBytes = TURN_BYTES;
        while (!reading && !closed && step()) {
            if (turnBytes <= 0) {
                wake();
                break;
            }
        }
        pumping = false;
    }

    /** What is being read or offered is not wanted any more. */
    void discard() {
        stale = true;
    }

    void close() {
        closed = true;
    }

    private boolean step() {
        long from = taker.wanted();
        if (from < 0 || retrying) {
            return false;
        }
        if (from >= log.endOffset()) {
            park(from);
            return false;
        }
        unpark();
        reading = true;
        stale = false;
        log.read(from, readSize(taker.room(from, averageEntry)), this);
        return !reading;
    }

    private static int readSize(long room) {
        return room == 0 ? 1 : (int) Math.clamp(room, MIN_READ, MAX_READ);
    }

    private void park(long from) {
        if (parked == null) {
            parked = log.await(from, this);
        }
    }

    void unpark() {
        if (parked != null) {
            parked.cancel();
            parked = null;
        }
    }

    @Override
    public void moreToRead() {
        parked = null;
        pump();
    }

    @Override
    public void closed(StoreFailure why) {
        parked = null;
    }

    @Override
    public void entries(Entries entries) {
        reading = false;
        ByteBuf bytes = entries.bytes();
        try {
            if (stale || closed) {
                return;
            }
            if (entries.format() != EntryFormat.PULSAR) {
                taker.foreign();
                return;
            }
            offerAll(bytes);
            taker.offered();
        } finally {
            bytes.release();
            pump();
        }
    }

    private void offerAll(ByteBuf bytes) {
        int end = bytes.writerIndex();
        for (int at = bytes.readerIndex(); at < end && !stale && !closed; ) {
            int size = EntryHeader.size(bytes, at);
            averageEntry += (size - averageEntry) / 16;
            turnBytes -= size;
            if (!taker.offer(bytes, at, EntryHeader.baseOffset(bytes, at), EntryHeader.count(bytes, at))) {
                return;
            }
            at += size;
        }
    }

    @Override
    public void atEnd() {
        reading = false;
        pump();
    }

    @Override
    public void outOfRange(long startOffset, long endOffset) {
        reading = false;
        if (taker.moved(startOffset, endOffset)) {
            pump();
        } else {
            retryLater();
        }
    }

    @Override
    public void failed(StoreFailure why) {
        reading = false;
        if (!(why instanceof StoreFailure.Corrupt damage) || stale || closed || !taker.damaged(damage)) {
            retryLater();
        }
    }

    private void retryLater() {
        retrying = true;
        log.container().schedule(RETRY_MILLIS, new LoopTask() {
            @Override
            public void run() {
                retrying = false;
                pump();
            }

            @Override
            public void abandoned(StoreFailure gone) {
                // the hub tells the consumers
            }
        });
    }
}
