package io.sluice.kafka.fetch;

import io.sluice.broker.log.PartitionLog;
import io.sluice.conversion.EntryConversions;
import io.sluice.store.segment.SegmentContainer;

/** The fetch, for the part of its rounds that is read in one container. */
interface FetchRound extends FetchUnderWay {
    /** For entries that Pulsar clients wrote. */
    EntryConversions conversions();

    void examined(int more);

    /** At the beginning of a container's part of a round, on its loop. */
    void joinChanged(SegmentContainer where);

    /**
     * Begins a read of all that the client wants of a partition that has data. It must end with {@link #readEnded} and {@link #partDone}.
     *
     * @return bytes it may ask for, which it then has for itself; 0 if there is no room for so many, and no read begins
     */
    int beginRead(FetchPartition partition);

    /**
     * As {@link #beginRead}, of a part of what the client wants, for a partition for which that gave 0.
     *
     * @param available bytes up to the partition's end, at least 1
     */
    int beginPartialRead(FetchPartition partition, long available);

    /** To be called before the result is recorded. */
    void readEnded(int granted);

    /** Whether this round is only for partitions that lack bytes. */
    boolean isFilling();

    /** False: watches are of use. */
    boolean isDecided();

    /** Runs {@code finding}, which puts a result into a partition, unless the answer is already given. */
    boolean record(FetchPartition partition, Runnable finding);

    /** A read was answered, or a container's part of the round is over. */
    void partDone();

    /** Runs {@code task} unless the answer is already given. */
    void whileOpen(Runnable task);

    /** With the lock, on the loop of the log's container. */
    void watch(FetchPartition partition, PartitionLog log);

    /** As {@link #watch}, if the fetch belongs to a session whose watches last. */
    void watchFromFetchToFetch(FetchPartition partition, PartitionLog log);
}
