package io.sluice.kafka.coordinator;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.AppendReply;
import io.sluice.broker.log.Entries;
import io.sluice.broker.log.EntriesReply;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Subscriptions;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.TreeMap;
import java.util.function.LongConsumer;

/** A partition log in memory, on a loop of its own, whose durability can be held back and whose term can be ended. */
final class LoopLog implements PartitionLog {
    private final LoopContainer container;
    private final TreeMap<Long, byte[]> entries = new TreeMap<>();
    private final Deque<Runnable> waitingToBeDurable = new ArrayDeque<>();
    private final Deque<AppendReply> waitingReplies = new ArrayDeque<>();
    private final List<Parked> parked = new ArrayList<>();
    private boolean held;
    private long start;
    private long durableEnd;
    private long sequencedEnd;
    private int failingReads;

    LoopLog(LoopContainer container) {
        this.container = container;
    }

    /** What a new owner of the same bytes would see. */
    LoopLog nextTerm(LoopContainer on) {
        LoopLog next = new LoopLog(on);
        container.ask(() -> {
            next.entries.putAll(entries);
            next.start = start;
            next.sequencedEnd = sequencedEnd;
            next.durableEnd = sequencedEnd;
            return true;
        });
        return next;
    }

    void holdDurability() {
        container.ask(() -> held = true);
    }

    void releaseDurability() {
        container.ask(() -> {
            held = false;
            while (!waitingToBeDurable.isEmpty()) {
                waitingReplies.poll();
                waitingToBeDurable.poll().run();
            }
            return true;
        });
    }

    /** Everything not durable fails, then the container answers no more. */
    void endTerm() {
        StoreFailure why = new StoreFailure.NotOwner(container.id(), "the term ended");
        container.ask(() -> {
            waitingToBeDurable.clear();
            waitingReplies.forEach(reply -> reply.failed(why));
            waitingReplies.clear();
            parked.forEach(p -> p.waiter.closed(why));
            parked.clear();
            return true;
        });
        container.stop(why);
    }

    void failReads(int times) {
        container.ask(() -> failingReads = times);
    }

    /** Runs on the loop. */
    long count() {
        return container.ask(() -> sequencedEnd - start);
    }

    long first() {
        return container.ask(() -> start);
    }

    @Override
    public SegmentContainer container() {
        return container;
    }

    @Override
    public long segment() {
        return 1;
    }

    @Override
    public long startOffset() {
        return start;
    }

    @Override
    public long endOffset() {
        return durableEnd;
    }

    @Override
    public long sequencedEndOffset() {
        return sequencedEnd;
    }

    @Override
    public int leaderEpoch() {
        return 3;
    }

    @Override
    public EpochEnd endOfEpoch(int epoch) {
        return new EpochEnd(3, durableEnd);
    }

    @Override
    public void append(ByteBuf entry, AppendReply reply) {
        append(entry, reply, offset -> {});
    }

    @Override
    public void append(ByteBuf entry, AppendReply reply, LongConsumer sequenced) {
        long base = sequencedEnd;
        EntryHeader.assign(entry, entry.readerIndex(), base, leaderEpoch());
        byte[] bytes = new byte[entry.readableBytes()];
        entry.readBytes(bytes);
        entry.release();
        entries.put(base, bytes);
        long last = base + EntryHeader.count(Unpooled.wrappedBuffer(bytes), 0) - 1;
        sequencedEnd = last + 1;
        sequenced.accept(base);
        Runnable durable = () -> {
            durableEnd = last + 1;
            reply.appended(base, last);
            wake();
        };
        if (held) {
            waitingToBeDurable.add(durable);
            waitingReplies.add(reply);
        } else {
            durable.run();
        }
    }

    private void wake() {
        List<Parked> ready = parked.stream().filter(p -> p.offset < durableEnd).toList();
        parked.removeAll(ready);
        ready.forEach(p -> p.waiter.moreToRead());
    }

    @Override
    public void read(long offset, int maxBytes, EntriesReply reply) {
        if (failingReads > 0) {
            failingReads--;
            reply.failed(new StoreFailure.TierUnavailable("the tier is away"));
        } else if (offset < start || offset > durableEnd) {
            reply.outOfRange(start, durableEnd);
        } else if (offset == durableEnd) {
            reply.atEnd();
        } else {
            reply.entries(run(offset, maxBytes));
        }
    }

    private Entries run(long offset, int maxBytes) {
        ByteBuf bytes = Unpooled.buffer();
        long next = offset;
        for (var entry : entries.tailMap(entries.floorKey(offset), true).entrySet()) {
            if (entry.getKey() >= durableEnd
                    || (bytes.isReadable() && bytes.readableBytes() + entry.getValue().length > maxBytes)) {
                break;
            }
            bytes.writeBytes(entry.getValue());
            next = EntryHeader.lastOffset(Unpooled.wrappedBuffer(entry.getValue()), 0) + 1;
        }
        return new Entries(bytes, EntryFormat.KAFKA_V2, next);
    }

    @Override
    public Waiting await(long offset, TailWaiter waiter) {
        Parked here = new Parked(offset, waiter);
        parked.add(here);
        return () -> parked.remove(here);
    }

    private record Parked(long offset, TailWaiter waiter) {}

    @Override
    public void deleteBefore(long offset, Durable done) {
        entries.headMap(offset).clear();
        start = Math.max(start, offset);
        done.durable();
    }

    @Override
    public long sizeBytes() {
        return entries.values().stream().mapToLong(e -> e.length).sum();
    }

    @Override
    public long bytesAfter(long offset) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void offsetAtTime(long timestamp, TimeReply reply) {
        throw new UnsupportedOperationException();
    }

    @Override
    public OffsetAndTime latestTimestamp() {
        throw new UnsupportedOperationException();
    }

    @Override
    public long producerIdOf(String producerName) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long lastSequenceId(long producerId) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Subscriptions subscriptions() {
        throw new UnsupportedOperationException();
    }
}
