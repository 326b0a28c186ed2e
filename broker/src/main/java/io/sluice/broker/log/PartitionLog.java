package io.sluice.broker.log;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.subscription.Subscriptions;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreFailure;
import java.util.UUID;
import java.util.function.LongConsumer;

/**
 * One partition, for both protocols: entries with rising offsets, one for each message as it was written. Offsets may have
 * holes, within an entry and between entries, where messages were compacted away.
 *
 * <p><b>Threads.</b> Get on the loop with {@code container().execute} (or {@code executeAppend} for a task that appends);
 * one task may serve any number of partitions of the same container. All other methods here are loop only. That makes an
 * append one hop in and one hop back, and lets a protocol's dispatcher live on the loop beside the data.
 *
 * <p><b>Three ends.</b> {@link #sequencedEnd} ≥ {@link #durableEnd} ≥ {@link #readableEnd}: decisions are taken by what is
 * sequenced, answers wait for what is durable, and readers see what is readable.
 */
public interface PartitionLog {
    SegmentContainer container();

    /** Id of the partition: the id of its first segment, for ever. Any thread. */
    long partitionId();

    /** See {@code Topic.id}. Any thread. */
    UUID topicId();

    /**
     * Creates the partition's segment if it has none yet; the returned log is the one to keep. Another log than this one means that it has a
     * segment.
     */
    default PartitionLog createIfMissing() {
        return this;
    }

    /**
     * The ledger in the message id of an entry that begins at {@code offset}: an id of this ledger and this offset is given to no
     * other entry, even if what was acknowledged is lost. Never falls from one offset to the next.
     */
    long ledgerAt(long offset);

    /**
     * The offset that ledger and entry of a message id mean. For an id of a lost entry, where its ledger ends; for an id of a ledger
     * that is not of this partition, the start of the next higher one that is, or {@link Long#MAX_VALUE}. May be before the start
     * or behind the end.
     */
    long offsetOf(long ledger, long entry);

    /**
     * Whether the partition goes on elsewhere and nothing is known of it here, so that its offsets are not as they seem. Loop only.
     */
    default boolean isGone() {
        return false;
    }

    /** Readers and watchers that wait for more. Loop only. */
    int waitingReaders();

    /**
     * Refuses entries up to this time of the container's clock, with {@link StoreFailure.NotOwner}: clients then look the partition up again. 0
     * ends that. Kept in memory only. For who is about to delete the topic. Loop only.
     *
     * @return whether entries were to be refused before
     */
    boolean holdUntil(long millis);

    /** First offset still readable. */
    long startOffset();

    /** One past the last offset handed out; those from {@link #durableEnd} on may still be lost, with all that wait for them. */
    long sequencedEnd();

    /** One past the last durable offset: Kafka's high watermark. */
    long durableEnd();

    /** One past the last offset that a reader of this isolation may see; under COMMITTED Kafka's last stable offset. */
    long readableEnd(Isolation isolation);

    /** Rises when another owner takes over; part of every entry's header. Kafka's leader epoch. Any thread. */
    int leaderEpoch();

    /**
     * One past the last offset written under {@code epoch} or an earlier one, as Kafka answers it: for an epoch older than
     * all that are remembered, that epoch and where the oldest remembered one begins; for one that is still to come, -1.
     */
    EpochEnd endOfEpoch(int epoch);

    /** Answer to {@link #endOfEpoch}: the largest epoch {@code <=} the one asked for that wrote something. */
    record EpochEnd(int epoch, long endOffset) {}

    /**
     * Decides (producer epoch, sequence, duplicate), assigns offset and epoch in the entry's header, sequences it.
     *
     * @param entry one whole entry, {@code [readerIndex, writerIndex)}, header and CRC already checked by the gateway; its
     *     header is written to. Ownership passes: released before this returns
     */
    default void append(ByteBuf entry, AppendReply reply) {
        append(entry, reply, offset -> {});
    }

    /**
     * As {@link #append}, but calls {@code sequenced} with the base offset before returning, ahead of durability. For
     * state machines that must know their offset at once.
     */
    void append(ByteBuf entry, AppendReply reply, LongConsumer sequenced);

    /** See {@link CompactionTarget}. */
    CompactionTarget compaction();

    /** See {@link DelayedRuns}. */
    DelayedRuns delays();

    /** Compacted view beside the log. */
    CompactedView view();

    /** Without them no entry of a transaction is taken; see {@link PartitionTransactions#verify}. */
    PartitionTransactions transactions();

    /** Named producers and the exclusive writer. */
    PartitionProducers producers();

    /** See {@link PartitionRetention}. */
    PartitionRetention retention();

    /**
     * Reads whole entries from the one that contains {@code offset} on, or the next one if no entry contains it any more:
     * at most {@code maxBytes}, and never more than 8 MiB, but at least one entry. A run ends where the format changes, and
     * at the readable end. From the cache the reply comes before this returns.
     * If the start passes {@code offset} before the reply, it is {@code outOfRange}: of entries that are handed out {@link #transactions}
     * knows in that turn which are aborted.
     */
    void read(long offset, int maxBytes, Isolation isolation, EntriesReply reply);

    /** Bytes a reader at {@code offset} has before it, up to the durable end; an estimate, never negative. */
    long bytesAfter(long offset);

    /** Calls {@code waiter} once, on the loop, when {@link #readableEnd} passes {@code offset}, or the log closes. */
    Waiting await(long offset, Isolation isolation, TailWaiter waiter);

    /** A parked reader. */
    interface TailWaiter {
        void moreToRead();

        /** The end stays where it is; it still waits. */
        default void terminated() {}

        void closed(StoreFailure why);
    }

    /**
     * Calls {@code watcher} on the loop each time an end or the start has moved, once at least, until it is cancelled or the log closes: at
     * once if it is closed.
     */
    Waiting watch(Watcher watcher);

    /** See {@link #watch}. */
    interface Watcher {
        void moved();

        /** Called last. */
        void closed(StoreFailure why);
    }

    /** Handle of a parked reader or a watcher; loop only. */
    interface Waiting {
        void cancel();
    }

    /**
     * First offset whose timestamp is at or after {@code timestamp}, as (offset, timestamp) of that entry's base; may need
     * the tier. Replies on the loop; offset -1 if all are older.
     */
    void offsetAtTime(long timestamp, TimeReply reply);

    /** The entry with the largest timestamp in the log; offset -1 if the log is empty. */
    OffsetAndTime latestTimestamp();

    record OffsetAndTime(long offset, long timestamp) {}

    /** Answer to {@link #offsetAtTime}; the entry containing the offset, for the gateway to look into. */
    interface TimeReply {
        void found(OffsetAndTime entryBase);

        void failed(StoreFailure why);
    }

    /** Takes no more entries, durably and for ever; reads and subscriptions go on. Again is a no-op. */
    void terminate(Durable done);

    /** Whether it was {@linkplain #terminate terminated}, durably: no message is added, though transactions still end. */
    boolean isTerminated();

    /** Whether it is terminated and none of its transactions is open: a reader of what is committed finds no message more. */
    default boolean isComplete() {
        return isTerminated() && readableEnd(Isolation.COMMITTED) == readableEnd(Isolation.UNCOMMITTED);
    }

    Subscriptions subscriptions();

    /** Stored bytes between start and durable end. */
    long sizeBytes();

    /**
     * Answers the first offset that may not be in long-term storage yet: all entries below it are. The durable end if everything is. What lies in
     * other containers is asked for there.
     */
    void findStoredEnd(Answer<Long> answer);

    /** Traffic since the partition was opened here: each figure begins at 0 and only rises. */
    Traffic traffic();

    /**
     * @param appendedBytes of entries, headers included; what was refused or a duplicate does not count
     * @param appends entries
     * @param appendedEvents messages in them
     * @param readBytes of entries handed to readers
     * @param reads that found something
     * @param readEvents messages in what they found
     */
    record Traffic(long appendedBytes, long appends, long appendedEvents, long readBytes, long reads, long readEvents) {
        public static final Traffic NONE = new Traffic(0, 0, 0, 0, 0, 0);
    }
}
