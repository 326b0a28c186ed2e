package io.sluice.kafka.coordinator;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.Partitions;
import io.sluice.broker.topic.Topic;
import io.sluice.store.segment.StoreFailure;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.NotCoordinatorException;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.coordinator.common.runtime.PartitionWriter;
import org.jspecify.annotations.Nullable;

/**
 * One partition of the offsets topic. Who holds its {@link #turn} alone sequences entries: the coordinator for one append,
 * the loader for a whole load, compaction while it copies.
 *
 * <p><b>Offsets.</b> Kafka's coordinator expects that only itself writes: every append must begin where its last one ended.
 * Entries that compaction copies to the end of the log would break that, so they are counted in {@link #copied} and taken
 * off: the coordinator sees offsets without them, which order its own writes just the same. A load sees the log's own
 * offsets and starts the count anew.
 */
final class OffsetsPartition {
    private final TopicPartition name;
    private final Topic.Placement placement;
    private final Partitions partitions;
    private final ReentrantLock turn = new ReentrantLock();
    private final List<PartitionWriter.Listener> listeners = new CopyOnWriteArrayList<>();

    /** Records appended by compaction since the last load. Guarded by {@link #turn}. */
    private long copied;

    /** Bytes from the log's start to its end, as far as this process has read or written them. Written with the turn. */
    private volatile long storedBytes;

    /** Bytes that were alive when the partition was last compacted; 0 before that. */
    private volatile long liveBytes;

    private final AtomicBoolean compacting = new AtomicBoolean();
    private volatile long nextCompaction;

    OffsetsPartition(TopicPartition name, Topic.Placement placement, Partitions partitions) {
        this.name = name;
        this.placement = placement;
        this.partitions = partitions;
    }

    TopicPartition name() {
        return name;
    }

    int container() {
        return placement.container();
    }

    boolean isServed() {
        return partitions.find(placement) != null;
    }

    /** @throws NotLeaderOrFollowerException if this process does not serve the partition now */
    PartitionLog log() {
        @Nullable PartitionLog log = partitions.find(placement);
        if (log == null) {
            throw new NotLeaderOrFollowerException(name + " is not served here");
        }
        return log;
    }

    void register(PartitionWriter.Listener listener) {
        listeners.add(listener);
    }

    void deregister(PartitionWriter.Listener listener) {
        listeners.remove(listener);
    }

    /**
     * Appends one batch of the coordinator.
     *
     * @return the offset after its last record, as the coordinator counts
     */
    long append(MemoryRecords batch, Duration atMost, Runnable onLost) {
        takeTurn(atMost);
        try {
            long offTheCount = copied;
            OffsetsAppend append = new OffsetsAppend(log(), batch, new OffsetsAppend.Outcome() {
                @Override
                public void durable(long lastOffset) {
                    announce(lastOffset + 1 - offTheCount);
                }

                @Override
                public void lost(StoreFailure why) {
                    onLost.run();
                }
            });
            long base = append.sequence(atMost);
            storedBytes = storedBytes + batch.sizeInBytes();
            return base + append.records() - offTheCount;
        } finally {
            turn.unlock();
        }
    }

    private void announce(long committed) {
        for (PartitionWriter.Listener listener : listeners) {
            try {
                listener.onHighWatermarkUpdated(name, committed);
            } catch (NotCoordinatorException shuttingDown) {
                // Whoever waited for this has been answered by the coordinator's own shutdown.
            }
        }
    }

    /** Waits for the turn; {@link #endTurn} gives it back. */
    void takeTurn() throws InterruptedException {
        turn.lockInterruptibly();
    }

    /** As {@link #takeTurn()}, but not for ever. */
    void takeTurn(Duration atMost) {
        try {
            if (!turn.tryLock(atMost.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new TimeoutException(name + " was busy for " + atMost.toMillis() + " ms");
            }
        } catch (InterruptedException e) {
            throw new InterruptException("interrupted while waiting for " + name, e);
        }
    }

    /** False if somebody else has it. */
    boolean tryTurn() {
        return turn.tryLock();
    }

    void endTurn() {
        turn.unlock();
    }

    /** Compaction appended this; the caller has the turn. */
    void countCopied(int records, int bytes) {
        copied += records;
        storedBytes = storedBytes + bytes;
    }

    /** The coordinator knows the log's own offsets again. The caller has the turn. */
    void loaded(long bytes) {
        copied = 0;
        storedBytes = bytes;
    }

    /** {@code gone} bytes were deleted, {@code alive} of them had been copied before. The caller has the turn. */
    void compacted(long gone, long alive) {
        storedBytes = Math.max(0, storedBytes - gone);
        liveBytes = alive;
    }

    long storedBytes() {
        return storedBytes;
    }

    long liveBytes() {
        return liveBytes;
    }

    /** False if one runs, or the last one failed a moment ago. */
    boolean startCompaction(long now) {
        return now >= nextCompaction && compacting.compareAndSet(false, true);
    }

    /** @param notBefore when to try again, milliseconds since the epoch */
    void endCompaction(long notBefore) {
        nextCompaction = notBefore;
        compacting.set(false);
    }
}
