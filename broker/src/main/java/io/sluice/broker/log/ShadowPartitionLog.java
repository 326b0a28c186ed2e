package io.sluice.broker.log;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.DelayRun;
import io.sluice.broker.subscription.Subscriptions;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreFailure;
import java.util.UUID;
import java.util.function.LongConsumer;

/**
 * Partition of a shadow topic: all that its source's partition has, with the same offsets and ids, and subscriptions of its own. Nothing is
 * written to it, and what it keeps is up to the source. Two of one partition and one topic are equal.
 *
 * @param source whose entries it has
 * @param topic shadow topic
 */
public record ShadowPartitionLog(PartitionLog source, UUID topic) implements PartitionLog {
    /** Answer to whoever would change what the source has. */
    public static final String READ_ONLY = "Cannot send messages to a shadow topic";

    @Override
    public SegmentContainer container() {
        return source.container();
    }

    @Override
    public long partitionId() {
        return source.partitionId();
    }

    /** Its schemas and its settings of conversion are those of the source. */
    @Override
    public UUID topicId() {
        return source.topicId();
    }

    @Override
    public PartitionLog createIfMissing() {
        PartitionLog made = source.createIfMissing();
        return made == source ? this : new ShadowPartitionLog(made, topic);
    }

    @Override
    public Subscriptions subscriptions() {
        return source.subscriptions().ofShadow(topic);
    }

    // ---- writes

    /** Takes the index of delayed entries alone, which is one for the source and all its shadows. */
    @Override
    public void append(ByteBuf entry, AppendReply reply, LongConsumer sequenced) {
        if (DelayRun.is(entry, entry.readerIndex())) {
            source.append(entry, reply, sequenced);
        } else {
            entry.release();
            reply.rejected(new AppendRejection.ReadOnly(READ_ONLY));
        }
    }

    @Override
    public boolean holdUntil(long millis) {
        return false; // writers of the source go on
    }

    @Override
    public void terminate(Durable done) {
        done.failed(new StoreFailure.NotOwner(container().id(), "a shadow topic is terminated with its source"));
    }

    @Override
    public PartitionProducers producers() {
        return new ReadOnlyProducers(source);
    }

    @Override
    public PartitionTransactions transactions() {
        return new ReadOnlyTransactions(source.transactions());
    }

    @Override
    public PartitionRetention retention() {
        return new ReadOnlyRetention(source);
    }

    @Override
    public CompactedView view() {
        return new ReadOnlyView(source);
    }

    // ---- reads

    @Override
    public long ledgerAt(long offset) {
        return source.ledgerAt(offset);
    }

    @Override
    public long offsetOf(long ledger, long entry) {
        return source.offsetOf(ledger, entry);
    }

    @Override
    public boolean isGone() {
        return source.isGone();
    }

    @Override
    public int waitingReaders() {
        return source.waitingReaders();
    }

    @Override
    public long startOffset() {
        return source.startOffset();
    }

    @Override
    public long sequencedEnd() {
        return source.sequencedEnd();
    }

    @Override
    public long durableEnd() {
        return source.durableEnd();
    }

    @Override
    public long readableEnd(Isolation isolation) {
        return source.readableEnd(isolation);
    }

    @Override
    public int leaderEpoch() {
        return source.leaderEpoch();
    }

    @Override
    public EpochEnd endOfEpoch(int epoch) {
        return source.endOfEpoch(epoch);
    }

    @Override
    public CompactionTarget compaction() {
        return source.compaction();
    }

    @Override
    public DelayedRuns delays() {
        return source.delays();
    }

    @Override
    public void read(long offset, int maxBytes, Isolation isolation, EntriesReply reply) {
        source.read(offset, maxBytes, isolation, reply);
    }

    @Override
    public long bytesAfter(long offset) {
        return source.bytesAfter(offset);
    }

    @Override
    public Waiting await(long offset, Isolation isolation, TailWaiter waiter) {
        return source.await(offset, isolation, waiter);
    }

    @Override
    public Waiting watch(Watcher watcher) {
        return source.watch(watcher);
    }

    @Override
    public void offsetAtTime(long timestamp, TimeReply reply) {
        source.offsetAtTime(timestamp, reply);
    }

    @Override
    public OffsetAndTime latestTimestamp() {
        return source.latestTimestamp();
    }

    @Override
    public boolean isTerminated() {
        return source.isTerminated();
    }

    @Override
    public boolean isComplete() {
        return source.isComplete();
    }

    @Override
    public long sizeBytes() {
        return source.sizeBytes();
    }

    @Override
    public void findStoredEnd(Answer<Long> answer) {
        source.findStoredEnd(answer);
    }

    @Override
    public Traffic traffic() {
        return source.traffic();
    }
}
