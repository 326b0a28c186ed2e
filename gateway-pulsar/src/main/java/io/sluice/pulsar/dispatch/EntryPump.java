package io.sluice.pulsar.dispatch;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.Entries;
import io.sluice.broker.log.EntriesReply;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.conversion.EntryConversions;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.StoreFailure;
import java.util.BitSet;
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

        /** Whether each message of a Kafka batch is to be an entry of its own, so that it goes where its key does. */
        boolean wantsEachAlone();

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

        /** The control batch at {@code at} was read; its offsets are {@link #leftOut}. */
        void control(ByteBuf entries, int at);

        /** The entry is corrupt in the store; true if it is wanted no more. */
        boolean damaged(StoreFailure.Corrupt why);

        /** The entry is not in the log, which is {@code [start, end)}; true if another one is wanted now. */
        boolean moved(long start, long end);
    }

    private final PartitionLog log;
    private final EntryConversions conversions;
    private final Taker taker;

    private int averageMessage = 1024;
    /** The offset that the read under way began with, then the one behind what was offered of it. */
    private long next;

    /** The read under way is of the compacted view, which has what is left below this offset; 0 if it is of the log. */
    private long viewEnd;

    /** The read under way is for one entry, though a Kafka batch there may become several. */
    private boolean onlyOne;

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

    EntryPump(PartitionLog log, EntryConversions conversions, Taker taker) {
        this.log = log;
        this.conversions = conversions;
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
        onlyOne = wanted == 0;
        int size = onlyOne ? 1 : Math.max(wanted, MIN_READ);
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
        LeftOut leftOut = viewEnd > 0 ? null : new LeftOut(log, entries.nextOffset());
        if (entries.format() == EntryFormat.PULSAR && (viewEnd > 0 || !EntryConversions.anyHasGaps(entries.bytes()))) {
            offerRun(entries.bytes(), leftOut, entries.nextOffset());
        } else {
            convert(entries, leftOut);
        }
    }

    /** Goes on when the run comes back, what Pulsar's clients cannot read or acknowledge as other entries; the read is under way until then. */
    private void convert(Entries run, @Nullable LeftOut leftOut) {
        ByteBuf batches = run.bytes();
        BitSet without = new BitSet();
        int count = 0;
        for (int at = batches.readerIndex(); at < batches.writerIndex(); at += EntryHeader.size(batches, at)) {
            boolean is = leftOut == null ? EntryHeader.isControl(batches, at) : leftOut.is(batches, at);
            without.set(count++, is);
            if (EntryHeader.isControl(batches, at)) {
                taker.control(batches, at);
            }
        }
        if (stale || closed || without.cardinality() == count) {
            offerRun(batches, null, run.nextOffset());
            return;
        }
        int most = onlyOne ? 1 : MAX_READ;
        var place = new EntryConversions.Place(log.topicId(), log.partitionId());
        conversions.toPulsar(place, batches, without, taker.wantsEachAlone(), most, new Converted());
    }

    private final class Converted implements EntryConversions.Reply {
        @Override
        public void converted(ByteBuf bytes, long nextOffset) {
            // if the container stops first, the hub tells the consumers
            log.container().execute(LoopTask.of(() -> offerRun(bytes, null, nextOffset), why -> bytes.release()));
        }

        @Override
        public void failed() {
            log.container().execute(LoopTask.of(() -> {
                readEnded();
                retryLater();
            }));
        }
    }

    /**
     * @param leftOut null if entries for no consumer were left out before, or are all there is
     * @param end one past the last offset of the run, also where its last messages were compacted away
     */
    private void offerRun(ByteBuf bytes, @Nullable LeftOut leftOut, long end) {
        try {
            if (!stale && !closed) {
                offerAll(bytes, leftOut, end);
            }
        } finally {
            bytes.release();
            readEnded();
            pump();
        }
    }

    private void offerAll(ByteBuf bytes, @Nullable LeftOut leftOut, long endOffset) {
        int end = bytes.writerIndex();
        for (int at = bytes.readerIndex(); at < end && !stale && !closed; ) {
            int size = EntryHeader.size(bytes, at);
            int offsets = EntryHeader.offsets(bytes, at);
            averageMessage += (size / Math.max(1, EntryHeader.count(bytes, at)) - averageMessage) / 16;
            turnBytes -= size;
            long base = EntryHeader.baseOffset(bytes, at);
            if (base + offsets <= next) {
                at += size; // of a batch that was asked for from its middle
                continue;
            }
            if (base > next) {
                taker.missing(next, base);
            }
            boolean notConverted = !EntryFormat.isPulsar(EntryHeader.format(bytes, at));
            if (notConverted || leftOut != null && leftOut.is(bytes, at)) {
                taker.leftOut(base, base + offsets);
            } else if (!taker.offer(bytes, at, base, offsets)) {
                return;
            }
            next = base + offsets;
            at += size;
            if (onlyOne) {
                return;
            }
        }
        if (next < endOffset && !stale && !closed) {
            taker.leftOut(next, endOffset);
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
