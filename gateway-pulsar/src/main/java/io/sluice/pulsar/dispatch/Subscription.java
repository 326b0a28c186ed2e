package io.sluice.pulsar.dispatch;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.Entries;
import io.sluice.broker.log.EntriesReply;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.pulsar.AckSets;
import io.sluice.pulsar.format.StoredEntry;
import io.sluice.pulsar.wire.MessageFrames;
import io.sluice.pulsar.wire.MessageFrames.MessageHead;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A subscription with its consumers: reads entries in log order and hands them out while consumers have permits and their
 * connections have room. It lives on the container's loop, so a read from the cache and the hand-out are one turn.
 *
 * <p>At most one read is under way. {@link #pump} goes on until there is nothing to read, nobody to take it, or a turn's
 * share of bytes is used up; whatever changes one of these calls it again.
 */
public abstract sealed class Subscription implements EntriesReply, PartitionLog.TailWaiter permits InOrder, Sharing {
    private static final int TURN_BYTES = 2 * 1024 * 1024;
    private static final int MIN_READ = 4 * 1024;
    private static final int MAX_READ = 1024 * 1024;
    /** Small messages for one consumer are copied together up to about this many bytes. */
    private static final int GATHER_UP_TO = 16 * 1024;

    private static final long RETRY_MILLIS = 250;

    final PartitionHub hub;
    final PartitionLog log;
    final Cursor cursor;
    final boolean durable;
    private final Traffic traffic;
    final List<Consumer> consumers = new ArrayList<>();
    final TreeMap<Long, Delivered> outstanding = new TreeMap<>();

    /** Where the next entry not handed out yet is looked for. */
    long readOffset;

    private final AtomicBoolean wakeQueued = new AtomicBoolean();
    /** Above it nothing is acknowledged, so a batch need not be looked through. */
    private long ackedTop;

    private int averageEntry = 1024;
    private boolean reading;
    private boolean pumping;
    private boolean stale;
    private boolean retrying;
    private int turnBytes;
    private boolean closed;
    private PartitionLog.@Nullable Waiting parked;

    Subscription(PartitionHub hub, Cursor cursor, boolean durable) {
        this.hub = hub;
        this.log = hub.log();
        this.cursor = cursor;
        this.durable = durable;
        this.traffic = hub.trafficOf(cursor.name());
        this.readOffset = cursor.ackedBelow();
        this.ackedTop = cursor.ackedAbove() == 0 ? cursor.ackedBelow() : log.sequencedEndOffset();
    }

    /** As Pulsar writes it. */
    abstract String type();

    /** Null, or why the consumer cannot join. */
    abstract @Nullable String join(Consumer consumer);

    abstract void left(Consumer consumer);

    /** Offset of the next entry to read, or -1 if nobody can take one. */
    abstract long wanted();

    /** Hands an entry out; false to stop before it. */
    abstract boolean offer(ByteBuf entries, int at, long base, int count);

    /** {@code consumer} gives back what it has not acknowledged: these offsets, or all of it if there are none. */
    abstract void giveBack(Consumer consumer, List<Long> offsets, long epoch);

    /** Messages of an outstanding entry were acknowledged; none are left if {@code d.unacked} is 0. */
    abstract void settled(Delivered d, int messages);

    /** All consumers are gone at once, and so is everything they held. */
    abstract void cleared(List<Consumer> gone);

    abstract boolean blocked(Consumer consumer);

    abstract String activeName();

    public String name() {
        return cursor.name();
    }

    public PartitionHub hub() {
        return hub;
    }

    boolean isIdle() {
        return consumers.isEmpty();
    }

    final @Nullable String add(Consumer consumer) {
        String why = join(consumer);
        if (why == null) {
            consumer.subscription = this;
        }
        return why;
    }

    final void remove(Consumer consumer) {
        if (!consumers.remove(consumer)) {
            return;
        }
        consumer.subscription = null;
        left(consumer);
        if (consumers.isEmpty()) {
            unpark();
            hub.idle(this, false);
        }
        pump();
    }

    /** The client takes {@code messages} more. */
    public final void flow(Consumer consumer, int messages) {
        consumer.permits = (int) Math.min((long) consumer.permits + messages, Integer.MAX_VALUE);
        pump();
    }

    public final void redeliver(Consumer consumer, List<Long> offsets, long epoch) {
        giveBack(consumer, offsets, epoch);
        pump();
    }

    /** Any thread: pumps soon. */
    public final void wake() {
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

    // ---- reading

    final void pump() {
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

    private boolean step() {
        long from = wanted();
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
        log.read(from, readSize(from), this);
        return !reading;
    }

    private int readSize(long from) {
        if (from < readOffset) {
            return 1;
        }
        long permits = 0;
        for (Consumer c : consumers) {
            permits += Math.max(0, c.permits);
        }
        return (int) Math.clamp(permits * averageEntry, MIN_READ, MAX_READ);
    }

    private void park(long from) {
        if (parked == null) {
            parked = log.await(from, this);
        }
    }

    private void unpark() {
        if (parked != null) {
            parked.cancel();
            parked = null;
        }
    }

    @Override
    public final void moreToRead() {
        parked = null;
        pump();
    }

    @Override
    public final void closed(StoreFailure why) {
        parked = null;
    }

    @Override
    public final void entries(Entries entries) {
        reading = false;
        ByteBuf bytes = entries.bytes();
        try {
            if (stale || closed) {
                return;
            }
            if (entries.format() != EntryFormat.PULSAR) {
                refuseForeign();
                return;
            }
            handOut(bytes);
        } finally {
            bytes.release();
            pump();
        }
    }

    private void handOut(ByteBuf bytes) {
        offerAll(bytes);
        for (Consumer c : consumers) {
            c.sendGathered();
        }
    }

    private void offerAll(ByteBuf bytes) {
        int end = bytes.writerIndex();
        for (int at = bytes.readerIndex(); at < end && !stale && !closed; ) {
            int size = EntryHeader.size(bytes, at);
            averageEntry += (size - averageEntry) / 16;
            turnBytes -= size;
            if (!offer(bytes, at, EntryHeader.baseOffset(bytes, at), EntryHeader.count(bytes, at))) {
                return;
            }
            at += size;
        }
    }

    /** Entries of the other protocol have no meaning here: say so instead of sending bytes nobody can read. */
    private void refuseForeign() {
        hub.foreignEntries(this);
        disconnectAll(false);
    }

    @Override
    public final void atEnd() {
        reading = false;
        pump();
    }

    @Override
    public final void outOfRange(long startOffset, long endOffset) {
        reading = false;
        if (cursor.ackedBelow() < startOffset) {
            // retention went past the subscription: those messages are gone
            cursor.ackUpTo(startOffset - 1, Durable.IGNORED);
            ackedTop = Math.max(ackedTop, startOffset);
            settleUpTo(startOffset - 1);
            readOffset = Math.max(readOffset, startOffset);
            pump();
        } else if (readOffset > endOffset) {
            readOffset = endOffset;
            pump();
        } else {
            retryLater();
        }
    }

    @Override
    public final void failed(StoreFailure why) {
        reading = false;
        retryLater();
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

    // ---- handing out

    /** Messages of the entry that are not acknowledged. */
    final int unackedOf(long base, int count) {
        if (base >= ackedTop || (cursor.ackedAbove() == 0 && base >= cursor.ackedBelow())) {
            return count;
        }
        int n = 0;
        for (long o = cursor.nextUnacked(base); o < base + count; o = cursor.nextUnacked(o + 1)) {
            n++;
        }
        return n;
    }

    final void send(Consumer to, ByteBuf entries, int at, Delivered d) {
        int length = EntryHeader.size(entries, at) - StoredEntry.BODY;
        long[] ackSet = d.unacked == d.count ? null : AckSets.from(d.base, d.count, cursor::isAcked);
        MessageHead head = new MessageHead(to.id(), log.segment(), d.base, hub.partition(), d.redelivered, to.epoch);
        to.permits -= d.unacked;
        to.messagesOut += d.unacked;
        to.bytesOut += length;
        if (d.redelivered > 0) {
            to.messagesRedelivered += d.unacked;
        }
        hub.delivered(traffic, d.unacked, length);
        if (MessageFrames.isSmall(length)) {
            ByteBuf out = to.gathering(hub.frames());
            hub.frames().append(head, entries, at + StoredEntry.BODY, length, ackSet, out);
            if (out.readableBytes() > GATHER_UP_TO) {
                to.sendGathered();
            }
        } else {
            to.sendGathered();
            to.outlet().send(hub.frames().encode(head, entries, at + StoredEntry.BODY, length, ackSet));
        }
    }

    // ---- acknowledging

    public final void ack(List<AckedEntry> entries, boolean cumulative, AckReceipt receipt) {
        for (AckedEntry e : entries) {
            if (e.offset() >= 0 && e.offset() < log.endOffset()) {
                ack(e, cumulative, receipt);
            }
        }
        receipt.complete();
        pump();
    }

    private void ack(AckedEntry e, boolean cumulative, AckReceipt receipt) {
        Map.Entry<Long, Delivered> known = outstanding.floorEntry(e.offset());
        if (known != null && known.getValue().last() >= e.offset()) {
            Delivered d = known.getValue();
            ack(d.base, d.count, e.ackSet(), cumulative, receipt);
        } else {
            Durable found = receipt.one();
            PartitionHub.locate(log, e.offset(), new EntryLocation() {
                @Override
                public void entry(long base, int count) {
                    ack(base, count, e.ackSet(), cumulative, receipt);
                    found.durable();
                }

                @Override
                public void gone() {
                    found.durable();
                }

                @Override
                public void failed(StoreFailure why) {
                    found.failed(why);
                }
            });
        }
    }

    private void ack(long base, int count, long @Nullable [] ackSet, boolean cumulative, AckReceipt receipt) {
        ackedTop = Math.max(ackedTop, base + count);
        if (cumulative) {
            int first = ackSet == null ? -1 : AckSets.firstUnacked(ackSet);
            long upTo = first < 0 ? base + count - 1 : base + Math.min(first, count) - 1;
            cursor.ackUpTo(upTo, receipt.one());
            settleUpTo(upTo);
            return;
        }
        if (ackSet == null) {
            cursor.ack(base, base + count - 1, receipt.one());
        } else {
            AckSets.forEachAcked(ackSet, base, count, (from, to) -> cursor.ack(from, to, receipt.one()));
        }
        Delivered d = outstanding.get(base);
        if (d != null) {
            settle(d);
        }
    }

    private void settleUpTo(long offset) {
        for (Delivered d : List.copyOf(outstanding.headMap(offset, true).values())) {
            settle(d);
        }
    }

    private void settle(Delivered d) {
        int left = unackedOf(d.base, d.count);
        int messages = d.unacked - left;
        d.unacked = left;
        if (left == 0) {
            outstanding.remove(d.base);
        }
        if (messages > 0) {
            settled(d, messages);
        }
    }

    // ---- moving

    /** Continues at {@code offset}: consumers are told to come again, which makes them drop what they hold. */
    public final void seek(long offset, Durable done) {
        disconnectAll(true);
        ackedTop = offset;
        readOffset = offset;
        cursor.seek(offset, done);
    }

    /** Acknowledges everything there is. */
    public final void skipAll(Durable done) {
        seek(log.endOffset(), done);
    }

    /** @param comingBack false if the subscription itself ends */
    final void disconnectAll(boolean comingBack) {
        List<Consumer> gone = List.copyOf(consumers);
        consumers.clear();
        cleared(gone);
        rewind();
        unpark();
        for (Consumer c : gone) {
            c.subscription = null;
            c.outlet().closeConsumer(c);
        }
        hub.idle(this, comingBack);
    }

    final void close() {
        closed = true;
        disconnectAll(false);
    }

    /** Reads again from the first message that is not acknowledged. */
    final void rewind() {
        stale = true;
        outstanding.clear();
        readOffset = cursor.nextUnacked(cursor.ackedBelow());
    }

    public final SubscriptionView view() {
        long unacked = 0;
        List<ConsumerView> views = new ArrayList<>(consumers.size());
        for (Consumer c : consumers) {
            unacked += c.unacked;
            views.add(c.view(blocked(c)));
        }
        return new SubscriptionView(
                name(),
                consumers.isEmpty() ? "None" : type(),
                durable,
                cursor.ackedBelow(),
                readOffset,
                PartitionHub.backlog(log, cursor),
                unacked,
                activeName(),
                cursor.properties(),
                views);
    }

    /** Offset of the first message not acknowledged; the end if there is none. */
    public final long nextToDeliver() {
        return Math.max(cursor.nextUnacked(Math.max(cursor.ackedBelow(), log.startOffset())), log.startOffset());
    }

    public final long ackedBelow() {
        return cursor.ackedBelow();
    }

    public final ConsumerView viewOf(Consumer consumer) {
        return consumer.view(blocked(consumer));
    }

    public final String typeName() {
        return type();
    }
}
