package io.sluice.broker.coordination;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.Partitions;
import io.sluice.broker.topic.Topic;
import io.sluice.store.segment.StoreFailure;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The log of one state machine: an internal partition to which it alone appends records of a key and a value, and from which
 * it is loaded. A {@link LogRewrites} keeps it in proportion to what is alive.
 *
 * <pre>
 *   start                sequenced end          ... then
 *   │ a=1 b=1 a=2 b=2 c=1 │ c=2 │ a=2 │ d=1 │ b=2 │    the state machine goes on between copies
 *   └────── scanned ──────┘     copy        copy       c was written since the scan began: no copy of c=1
 *   └────── truncated ────┘                            when the copies are durable
 * </pre>
 *
 * <p><b>Threads.</b> Any. Order and count are decided by one task on the container's loop for each append, copy or
 * truncation; no lock is held while one is under way. Appends of one state machine come one after the other.
 *
 * <p><b>Offsets.</b> A state machine may expect each append to begin where its last one ended. So records that a rewrite
 * copied since the load are taken off the offsets it is told, which order its own writes just the same. A load sees the
 * log's own offsets and starts the count anew.
 *
 * <p><b>Failure.</b> A crash at any point needs no repair: a copy says what its key had said last. See docs/adr/0038.
 */
public final class CoordinatorLog {
    private static final int NO_EPOCH = -1;

    private final String name;
    private final Topic.Placement placement;
    private final Partitions partitions;
    private final RecordFormat format;

    /** Written by the loop when a load ends. */
    private volatile LogPosition position = new LogPosition(NO_EPOCH);

    /** Bytes from the log's start to its end, as far as this process has read or written them. Written by the loop. */
    private volatile long storedBytes;

    /** Bytes that were alive when the log was last rewritten; 0 before that. */
    private volatile long liveBytes;

    private final AtomicInteger loads = new AtomicInteger();
    private final AtomicBoolean rewriting = new AtomicBoolean();
    private volatile long nextRewrite;

    /** What becomes of a batch once it has an offset; called once, on the container's loop. */
    public interface Completion {
        /** @param end the offset after its last record, as the state machine counts */
        void durable(long end);

        /** The container's term ended: the batch may or may not be in the log. */
        void lost(StoreFailure why);
    }

    /** See {@link #submit}; one of the three is called, once. */
    public interface Submitted extends Completion {
        /** It is not in the log and will not be. Called on the container's loop, or before {@link #submit} returns. */
        void refused(CoordinatorLogException why);
    }

    public CoordinatorLog(String name, Topic.Placement placement, Partitions partitions, RecordFormat format) {
        this.name = name;
        this.placement = placement;
        this.partitions = partitions;
        this.format = format;
    }

    public String name() {
        return name;
    }

    public int container() {
        return placement.container();
    }

    public boolean isServed() {
        return partitions.find(placement) != null;
    }

    /** @throws CoordinatorLogException.Store if this process does not serve the partition now */
    public PartitionLog partition() {
        @Nullable PartitionLog log = partitions.find(placement);
        if (log == null) {
            throw new CoordinatorLogException.Store(
                    new StoreFailure.NotOwner(placement.container(), name + " is not served here"));
        }
        return log;
    }

    /**
     * Appends one entry and waits until it is sequenced. When this throws, it was not and will not be appended.
     *
     * @param records how many offsets it takes
     * @return the offset after its last record, as the state machine counts
     * @throws CoordinatorLogException also if the state machine was not loaded in the partition's present term
     */
    public long append(ByteBuffer entry, int records, Duration atMost, Completion completion) {
        PartitionLog log = partition();
        return new StateMachineAppend(log, entry, records, completion).sequence(atMost);
    }

    /** As {@link #append}, for who does not need the offset: does not wait. */
    public void submit(ByteBuffer entry, int records, Submitted completion) {
        try {
            new StateMachineAppend(partition(), entry, records, completion).submit(completion::refused);
        } catch (CoordinatorLogException e) {
            completion.refused(e);
        }
    }

    /** Begins to read everything that the log holds; one load at a time. Close it. */
    public LogLoad load() {
        return new LogLoad(this, partition());
    }

    long storedBytes() {
        return storedBytes;
    }

    long liveBytes() {
        return liveBytes;
    }

    RecordFormat format() {
        return format;
    }

    LogPosition position() {
        return position;
    }

    void loadBegins() {
        loads.incrementAndGet();
    }

    /** Loop: at this moment {@code log} holds nothing that the load has not read. */
    void loaded(PartitionLog log, long bytes) {
        position = new LogPosition(log.leaderEpoch());
        storedBytes = bytes;
    }

    void loadEnds() {
        loads.decrementAndGet();
    }

    boolean isLoading() {
        return loads.get() > 0;
    }

    /** Loop. */
    void copied(int bytes) {
        storedBytes = storedBytes + bytes;
    }

    /** Loop: {@code gone} bytes were truncated, {@code alive} of them had been copied or written again. */
    void truncated(long gone, long alive) {
        storedBytes = Math.max(0, storedBytes - gone);
        liveBytes = alive;
    }

    /** False if one runs, or the last one failed a moment ago. */
    boolean startRewrite(long now) {
        return now >= nextRewrite && rewriting.compareAndSet(false, true);
    }

    /** @param notBefore when to try again, milliseconds since the epoch */
    void endRewrite(long notBefore) {
        nextRewrite = notBefore;
        rewriting.set(false);
    }

    private final class StateMachineAppend extends SequencedAppend {
        private final PartitionLog log;
        private final ByteBuffer entry;
        private final int records;
        private final Completion completion;
        private long copiedBefore;

        StateMachineAppend(PartitionLog log, ByteBuffer entry, int records, Completion completion) {
            super(log);
            this.log = log;
            this.entry = entry;
            this.records = records;
            this.completion = completion;
        }

        @Override
        ByteBuffer batch() {
            position.check(log);
            return entry;
        }

        @Override
        long sequencedAt(long base) {
            LogPosition now = position;
            copiedBefore = now.copied();
            now.appended(entry, format);
            storedBytes = storedBytes + entry.remaining();
            return base + records - copiedBefore;
        }

        @Override
        void durable(long lastOffset) {
            completion.durable(lastOffset + 1 - copiedBefore);
        }

        @Override
        void lost(StoreFailure why) {
            completion.lost(why);
        }
    }
}
