package io.sluice.pulsar.dispatch;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.Entries;
import io.sluice.broker.log.EntriesReply;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.StoreFailure;
import org.jspecify.annotations.Nullable;

/**
 * Reads a subscription's entries and offers them, while a consumer takes them. It lives on the container's loop, so a read from
 * the cache and the hand-out are one turn.
 *
 * <p>At most one read is under way. {@link #pump} goes on until there is nothing to read, no consumer to take it, or a turn's
 * share of bytes is used up; whatever changes one of these calls it again.
 */
final class EntryPump implements EntriesReply, PartitionLog.TailWaiter {
    private static final int TURN_BYTES = 2 * 1024 * 1024;
    private static final int MIN_READ = 4 * 1024;
    private static final int MAX_READ = 1024 * 1024;
    private static final long RETRY_MILLIS = 250;

    /** Receiver of the entries. */
    interface Taker {
        /** Offset of the next entry to read, or -1 if no consumer can take one. */
        long wanted();

        /**
         * Before a read: bytes that will be taken from {@code offset} on, at most {@code most}, in messages of this average size;
         * 0 if only the one entry there is wanted.
         */
        int readSize(long offset, int averageMessage, int most);

        /** Whether it wants what compaction has left, where it is. */
        boolean readsCompacted();

        /** A read is over: what came of it was offered. */
        void readEnded();

        /** Hands out the entry with the offsets {@code [base, base + offsets)}; false to stop before it. */
        boolean offer(ByteBuf entries, int at, long base, int offsets);

        /** The log has nothing at the offsets {@code [from, to)} any more: they were compacted away. */
        void missing(long from, long to);

        /**
         * The entries at the offsets {@code [from, to)} are for no consumer: the end of a transaction, or of one that was aborted, or it was
         * compacted away.
         */
        void leftOut(long from, long to);

        /** The log has entries of another protocol next, which have no meaning here. */
        void foreign();

        /** The entry is corrupt in the store; true if it is wanted no more. */
        boolean damaged(StoreFailure.Corrupt why);

        /** The entry is not in the log, which is {@code [start, end)}; true if another one is wanted now. */
        boolean moved(long start, long end);
    }

    private final PartitionLog log;
    private final Taker taker;

    private int averageMessage = 1024;
    /** The offset that the read under way began with, then the one behind what was offered of it. */
    private long next;

    /** The read under way is of the compacted view, which has what is left below this offset; 0 if it is of the log. */
    private long viewEnd;

    private boolean reading;
    private boolean pumping;
    private boolean stale;
    private boolean retrying;
    /** Queued again and again, so there is one; if the container stops first, the hub tells the consumers. */
    private final LoopTask goOn = LoopTask.of(
            () -> {
                wakeQueued = false; // before the pump, which may have to go on later again
                pump();
            },
            why -> wakeQueued = false);

    private boolean wakeQueued;
    private int turnBytes;
    private boolean closed;
    private PartitionLog.@Nullable Waiting parked;

    EntryPump(PartitionLog log, Taker taker) {
        this.log = log;
        this.taker = taker;
    }

    /** Any thread: pumps soon, and then, or when that is no longer possible, runs {@code then} on the loop. */
    void wake(Runnable then) {
        // if the container stops first, the hub tells the consumers
        log.container()
                .execute(LoopTask.of(
                        () -> {
                            pump();
                            then.run();
                        },
                        why -> then.run()));
    }

    private void goOnLater() {
        if (wakeQueued) {
            return;
        }
        wakeQueued = true;
        log.container().execute(goOn);
    }

    void pump() {
        if (pumping || reading || closed) {
            return;
        }
        pumping = true;
        turnBytes = TURN_BYTES;
        try {
            while (!reading && !closed && step()) {
                if (turnBytes <= 0) {
                    goOnLater();
                    break;
                }
            }
        } finally {
            pumping = false;
        }
    }

    /** Discards the entries being read or offered. */
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
        if (from >= log.readableEnd(Isolation.COMMITTED)) {
            park(from);
            return false;
        }
        unpark();
        reading = true;
        stale = false;
        next = from;
        int wanted = taker.readSize(from, averageMessage, MAX_READ);
        int size = wanted == 0 ? 1 : Math.max(wanted, MIN_READ);
        long horizon = taker.readsCompacted() ? log.view().horizon() : 0;
        viewEnd = from < horizon ? horizon : 0;
        if (viewEnd > 0) {
            log.view().read(from, size, this);
        } else {
            log.read(from, size, Isolation.COMMITTED, this);
        }
        return !reading;
    }

    private void readEnded() {
        reading = false;
        taker.readEnded();
    }

    private void park(long from) {
        if (parked == null) {
            parked = log.await(from, Isolation.COMMITTED, this);
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
        ByteBuf bytes = entries.bytes();
        try {
            if (stale || closed) {
                return;
            }
            offerAll(bytes, new LeftOut(log, entries.nextOffset()));
        } finally {
            bytes.release();
            readEnded();
            pump();
        }
    }

    private void offerAll(ByteBuf bytes, LeftOut leftOut) {
        int end = bytes.writerIndex();
        for (int at = bytes.readerIndex(); at < end && !stale && !closed; ) {
            int size = EntryHeader.size(bytes, at);
            int offsets = EntryHeader.offsets(bytes, at);
            averageMessage += (size / Math.max(1, EntryHeader.count(bytes, at)) - averageMessage) / 16;
            turnBytes -= size;
            long base = EntryHeader.baseOffset(bytes, at);
            if (base > next) {
                taker.missing(next, base);
            }
            if (viewEnd == 0 && leftOut.is(bytes, at)) {
                taker.leftOut(base, base + offsets);
            } else if (!EntryFormat.isPulsar(EntryHeader.format(bytes, at))) {
                taker.foreign();
                return;
            } else if (!taker.offer(bytes, at, base, offsets)) {
                return;
            }
            next = base + offsets;
            at += size;
        }
    }

    @Override
    public void atEnd() {
        if (viewEnd > 0 && !stale && !closed) {
            // the log goes on from there
            taker.leftOut(next, viewEnd);
        }
        readEnded();
        pump();
    }

    @Override
    public void outOfRange(long startOffset, long endOffset) {
        readEnded();
        if (taker.moved(startOffset, endOffset)) {
            pump();
        } else {
            retryLater();
        }
    }

    @Override
    public void failed(StoreFailure why) {
        if (!log.container().onLoop()) {
            return; // the container has stopped, and the hub tells the consumers
        }
        readEnded();
        if (!(why instanceof StoreFailure.Corrupt damage) || stale || closed || !taker.damaged(damage)) {
            retryLater();
        }
    }

    private void retryLater() {
        retrying = true;
        // if the container stops first, the hub tells the consumers
        log.container().schedule(RETRY_MILLIS, LoopTask.of(() -> {
            retrying = false;
            pump();
        }));
    }
}
