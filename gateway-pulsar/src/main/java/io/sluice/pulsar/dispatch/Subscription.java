package io.sluice.pulsar.dispatch;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.subscription.SubscriptionReader;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.SegmentContainer;
import java.util.ArrayList;
import java.util.List;
import org.apache.pulsar.common.api.proto.ServerError;
import org.jspecify.annotations.Nullable;

/**
 * A subscription with its consumers: hands out entries in log order while consumers have permits and their connections have
 * room. {@link EntryPump} brings the entries, {@link Outstanding} keeps those that are not acknowledged, and the kinds of
 * subscription say who gets which. Loop only, but for {@link #wake}.
 */
public abstract sealed class Subscription implements Consumer.Home permits SingleActiveConsumer, MultipleConsumers {
    /** As long as Pulsar waits by default before it tells who is active. */
    private static final long INTRODUCTION_MILLIS = 1_000;

    /** Listens for subscriptions that have lost their last consumer. */
    interface IdleListener {
        /**
         * The subscription has no consumers: a durable one lives on in its cursor.
         *
         * @param comingBack a reader was told to subscribe again, and wants its position kept
         */
        void idle(Subscription subscription, boolean comingBack);
    }

    /** Parts that a subscription of either kind is made of. */
    record Setup(DispatchContext context, Cursor cursor, boolean durable, IdleListener listener) {}

    final DispatchContext context;
    final PartitionLog log;
    final Cursor cursor;
    final boolean durable;
    final List<Consumer> consumers = new ArrayList<>();
    final Outstanding outstanding;
    private final IdleListener listener;
    private final SubscriptionTraffic traffic;
    private final EntryPump pump;
    private final EntrySender sender;
    private final SeekGrace grace;
    final DispatchGate gate;
    private final AckVerifications verifications;

    /** Where the next entry not handed out yet is looked for. */
    long readOffset;

    Subscription(Setup setup) {
        this.context = setup.context();
        this.log = context.place().log();
        this.cursor = setup.cursor();
        this.durable = setup.durable();
        this.listener = setup.listener();
        this.outstanding = new Outstanding(
                log, cursor, new Told(), new FirstMessages(log, context.conversions(), this::handsOutEachAlone));
        this.traffic = context.traffic().of(cursor.name(), now());
        this.gate = new DispatchGate(context, cursor.name(), this::pump);
        this.pump = new EntryPump(log, context.conversions(), new EntryDispatch(this));
        this.sender = new EntrySender(context, log, outstanding, traffic, gate);
        this.grace = new SeekGrace(this::after);
        this.verifications = new AckVerifications(log.container(), cursor, pump::pump);
        this.readOffset = cursor.ackedBelow();
        cursor.listen(new Ends());
    }

    /** As Pulsar writes it. */
    public abstract String type();

    /** Whether who is served wants what compaction has left. */
    boolean readsCompacted() {
        return false;
    }

    /** Whether several consumers take turns, so that messages are acknowledged one by one only. */
    abstract boolean isShared();

    /** Null, or why the consumer cannot join. */
    abstract @Nullable String join(Consumer consumer);

    abstract void left(Consumer consumer);

    /** Offset of the next entry to read, or -1 if no consumer can take one. */
    abstract long wanted();

    /** Hands an entry out; false to stop before it. */
    abstract boolean offer(ByteBuf entries, int at, long base, int offsets);

    /** {@code consumer} gives back what it has not acknowledged: these offsets, or all of it if there are none. */
    abstract void giveBack(Consumer consumer, List<Long> offsets, long epoch);

    /** Whether what follows the entry at {@code offset}, which was read before, is wanted with it. */
    boolean readsOn(long offset) {
        return false;
    }

    /** The time of an entry has come. */
    void due(long base, int offsets) {}

    /** Messages that were passed over because their time has not come. */
    long delayed() {
        return 0;
    }

    /** Entries that wait to be sent again. */
    abstract int inReplay();

    /** Messages of an outstanding entry were acknowledged; none are left if {@code d.unacked} is 0. */
    abstract void settled(Delivered d, int messages);

    /** A transaction had acknowledged these, and is aborted; {@link #givenBack} follows. */
    abstract void abortedAck(long from, long to);

    /** A transaction has acknowledged the last messages of an entry that was outstanding. */
    abstract void pending(Delivered d);

    /** An aborted transaction gives its acknowledgements back: messages from {@code first} on are to be sent again. */
    abstract void givenBack(long first);

    /** All consumers are gone at once, and so is everything they held. */
    abstract void cleared(List<Consumer> gone);

    /** From now on the consumer's client may be told about it. */
    abstract void introduced(Consumer consumer);

    abstract boolean blocked(Consumer consumer);

    /** Whether its consumers together hold as many messages as they may. */
    boolean blocked() {
        return false;
    }

    /** Whether messages may go to it, as long as it has permits. */
    abstract boolean isServed(Consumer consumer);

    abstract String activeName();

    /** Whether each message of a Kafka batch is an entry of its own, which goes where its key does. */
    boolean handsOutEachAlone() {
        return false;
    }

    /** As Pulsar writes it; empty unless keys are kept together. */
    String keySharedMode() {
        return "";
    }

    @Override
    public List<HashRange> hashesOf(Consumer consumer) {
        return List.of();
    }

    boolean outOfOrder() {
        return false;
    }

    public String name() {
        return cursor.name();
    }

    public PartitionLog log() {
        return log;
    }

    /** -1 for a non-partitioned topic. */
    public int partition() {
        return context.place().partition();
    }

    final long now() {
        return context.place().now();
    }

    boolean isIdle() {
        return consumers.isEmpty();
    }

    final @Nullable String add(Consumer consumer) {
        String why = join(consumer);
        if (why == null) {
            consumer.home = this;
            grace.end();
            cursor.setReaders(this::readers);
        }
        return why;
    }

    private List<SubscriptionReader> readers() {
        String active = activeName();
        return consumers.stream().map(c -> viewOf(c).reader(type(), active)).toList();
    }

    @Override
    public final void remove(Consumer consumer) {
        if (!consumers.remove(consumer)) {
            return;
        }
        letGo(consumer);
        left(consumer);
        if (consumers.isEmpty()) {
            cursor.setReaders(null);
            pump.unpark();
            listener.idle(this, false);
        }
        pump.pump();
    }

    final void letGo(Consumer consumer) {
        consumer.home = null;
        consumer.cancelIntroduction();
        consumer.sendGathered();
    }

    /**
     * The client was answered. Some clients (Go) file the consumer only after they have read the answer, and lose what comes
     * right behind it. So it counts as known with its first FLOW, or after a moment: a paused consumer sends none.
     */
    final void answered(Consumer consumer) {
        if (consumer.introduced || consumer.home != this) {
            return;
        }
        consumer.introduction = after(INTRODUCTION_MILLIS, () -> introduce(consumer));
    }

    final SegmentContainer.Scheduled after(long millis, Runnable task) {
        return log.container().schedule(millis, LoopTask.of(task)); // consumers and cursor go with the container
    }

    private void introduce(Consumer consumer) {
        if (!consumer.introduced && consumer.home == this) {
            consumer.introduced = true;
            consumer.cancelIntroduction();
            introduced(consumer);
            tellOfEnd();
        }
    }

    /** The client takes {@code messages} more. */
    public final void flow(Consumer consumer, int messages) {
        introduce(consumer);
        long now = now();
        consumer.times.flow(now);
        traffic.flow(now);
        consumer.permits = (int) Math.min((long) consumer.permits + messages, Integer.MAX_VALUE);
        pump.pump();
    }

    public final void redeliver(Consumer consumer, List<Long> offsets, long epoch) {
        giveBack(consumer, offsets, epoch);
        pump.pump();
    }

    public final void ack(Consumer consumer, List<AckedEntry> entries, boolean cumulative, AckReceipt receipt) {
        consumer.times.acked(now());
        if (cumulative && isShared()) {
            // as in Pulsar, which answers as if it were done: what other consumers hold is not this one's to
            // acknowledge
            receipt.complete();
            return;
        }
        long before = cursor.ackedBelow();
        long acked = cursor.acked();
        outstanding.ack(entries, cumulative, receipt);
        consumer.acknowledged(cursor.acked() - acked);
        if (cursor.ackedBelow() != before) {
            traffic.advanced(now());
            tellOfEnd();
        }
        pump.pump();
    }

    /**
     * As {@link #ack}, in a transaction.
     *
     * @param transaction its producer id
     * @param repeats see {@link TransactionalAcks}
     */
    public final void ackIn(
            Consumer consumer,
            long transaction,
            List<AckedEntry> entries,
            boolean cumulative,
            boolean repeats,
            TransactionalAcks.Reply reply) {
        consumer.times.acked(now());
        if (!durable) {
            reply.refused(new TransactionalAcks.Refusal(
                    ServerError.NotAllowedError, "a subscription that does not last acknowledges in no transaction"));
        } else if (cumulative && (isShared() || entries.size() != 1)) {
            // as in Pulsar, which answers as if it were done
            reply.done(null);
        } else {
            new TransactionalAcks(outstanding, verifications, transaction, entries, cumulative, repeats, reply).start();
            pump.pump();
        }
    }

    private final class Told implements Outstanding.Settled {
        @Override
        public void settled(Delivered d, int messages) {
            Subscription.this.settled(d, messages);
        }

        @Override
        public void pending(Delivered d) {
            Subscription.this.pending(d);
        }

        @Override
        public void acknowledgedLate() {
            traffic.advanced(now());
            tellOfEnd();
            pump.pump();
        }
    }

    /** Listens for what transactions acknowledge up to a message, also by the other protocol, and for their ends. */
    private final class Ends implements Cursor.EndListener {
        @Override
        public void pendingUpTo(long offset) {
            outstanding.pendingUpTo(offset);
            pump.pump();
        }

        @Override
        public void committed() {
            traffic.advanced(now());
            tellOfEnd();
            pump.pump();
        }

        @Override
        public void givenBack(long from, long to) {
            abortedAck(from, to);
        }

        @Override
        public void aborted(long first, long upTo) {
            Subscription.this.givenBack(first);
            pump.pump();
        }
    }

    /** Consumers are told if nothing more comes. */
    final void tellOfEnd() {
        if (context.end().isFixed() && backlog(log, cursor) == 0) {
            context.end().tell(consumers);
        }
    }

    final void followRates() {
        boundsChanged();
        gate.follow();
        pump.pump();
    }

    /** Other bounds may hold by now for what consumers hold. */
    void boundsChanged() {}

    /** Goes on handing out. */
    final void pump() {
        pump.pump();
    }

    @Override
    public final void wake(Runnable then) {
        pump.wake(then);
    }

    // ---- handing out

    final void send(Consumer to, ByteBuf entries, int at, Delivered d) {
        sender.send(to, entries, at, d);
    }

    // ---- moving

    /** Continues at {@code offset}: consumers are told to come again, which makes them drop what they hold. */
    public final void seek(long offset, Durable done) {
        disconnectAll(true);
        readOffset = offset;
        outstanding.seek(offset, done);
    }

    /** Acknowledges everything there is. */
    public final void skipAll(Durable done) {
        seek(log.readableEnd(Isolation.COMMITTED), done);
    }

    public final boolean isDurable() {
        return durable;
    }

    /** Everything before {@code offset} counts as acknowledged; what consumers hold of it they may acknowledge once more. */
    public final void passOver(long offset) {
        outstanding.passOver(offset);
        traffic.advanced(now());
        tellOfEnd();
        pump.pump();
    }

    /** @param comingBack false if the subscription itself ends */
    final void disconnectAll(boolean comingBack) {
        disconnectAll(comingBack, consumer -> consumer.outlet().closeConsumer(consumer));
    }

    private void disconnectAll(boolean comingBack, java.util.function.Consumer<Consumer> tell) {
        List<Consumer> gone = List.copyOf(consumers);
        consumers.clear();
        cursor.setReaders(null);
        cleared(gone);
        rewind();
        pump.unpark();
        for (Consumer c : gone) {
            letGo(c);
            tell.accept(c);
        }
        listener.idle(this, comingBack);
    }

    final SeekGrace grace() {
        return grace;
    }

    /** The partition is not here any more. */
    final void close() {
        pump.close();
        disconnectAll(false, consumer -> consumer.outlet().partitionLeft(consumer));
    }

    /** Reads again from the first message that is not acknowledged. */
    final void rewind() {
        pump.discard();
        outstanding.clear();
        readOffset = cursor.nextFree(cursor.ackedBelow());
    }

    /** As {@link #rewind}, to this offset, and what consumers hold they keep. */
    final void readAgainFrom(long offset) {
        if (offset < readOffset) {
            pump.discard();
            readOffset = offset;
        }
    }

    /** Messages between the cursor and the end that are not acknowledged. */
    public static long backlog(PartitionLog log, Cursor cursor) {
        long from = Math.max(cursor.ackedBelow(), log.startOffset());
        return Math.max(0, log.readableEnd(Isolation.COMMITTED) - from - cursor.ackedAbove());
    }

    /**
     * The entry with the last message that consumers may see; {@code gone} if there is none.
     *
     * @param compacted of what is left for those who read what is compacted
     */
    public final void lastMessage(boolean compacted, EntryLocation reply) {
        context.lastMessage().find(compacted ? CompactedReads.last(log, context.conversions(), reply) : reply);
    }

    public final SubscriptionView view() {
        return new SubscriptionView(
                name(),
                consumers.isEmpty() ? "None" : type(),
                durable,
                cursor.ackedBelow(),
                readOffset,
                backlog(log, cursor),
                consumers.stream().mapToLong(c -> c.unacked).sum(),
                blocked(),
                delayed(),
                inReplay(),
                activeName(),
                cursor.ackedRanges(),
                cursor.ackedBytes(),
                keySharedMode(),
                outOfOrder(),
                cursor.properties(),
                consumers.stream().map(this::viewOf).toList());
    }

    /** Offset of the first message not acknowledged; the end if there is none. */
    public final long nextToDeliver() {
        return Math.max(cursor.nextUnacked(Math.max(cursor.ackedBelow(), log.startOffset())), log.startOffset());
    }

    public final long ackedBelow() {
        return cursor.ackedBelow();
    }

    public final ConsumerView viewOf(Consumer consumer) {
        return consumer.view(blocked(consumer), now());
    }
}
