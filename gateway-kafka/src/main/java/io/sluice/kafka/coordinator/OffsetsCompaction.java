package io.sluice.kafka.coordinator;

import io.sluice.broker.log.PartitionLog;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.StoreFailure;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.utils.Time;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps an offsets partition, and so the time to load it, in proportion to the groups it holds: copies the last record of
 * every key to the end of the log, then deletes what lies before the copies.
 *
 * <pre>
 *   start                         sequenced end                       ... then
 *   │ a=1 b=1 a=2 c=1 c=null b=2 │ a=2 b=2 │ b=3 ...                  │ a=2 b=2 │ b=3 ...
 *   └──────── scanned ───────────┘ └copies┘  the coordinator goes on
 * </pre>
 *
 * <p>The long scan runs beside the coordinator; then compaction takes the partition's turn, reads the few records that came
 * meanwhile, and copies, so the copies are the whole state at the place where they stand. Whatever crash or failure
 * comes in between leaves the old records with some copies behind them, which say the same. See docs/adr/0007.
 */
final class OffsetsCompaction implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OffsetsCompaction.class);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final long RETRY_AFTER_MILLIS = 10_000;

    /** A partition is rewritten when it has grown to this many times what was alive the last time. */
    private static final int GROWTH = 4;

    private final long minBytes;
    private final Time time;
    private final Semaphore one = new Semaphore(1);
    private final Set<Thread> running = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    OffsetsCompaction(long minBytes, Time time) {
        this.minBytes = minBytes;
        this.time = time;
    }

    /** Starts compacting the partition if it has grown enough; called after each append. */
    void consider(OffsetsPartition partition) {
        long threshold = Math.max(minBytes, GROWTH * partition.liveBytes());
        if (partition.storedBytes() > threshold && !closed && partition.startCompaction(time.milliseconds())) {
            Thread.ofVirtual().name("compact " + partition.name()).start(() -> run(partition));
        }
    }

    private void run(OffsetsPartition partition) {
        running.add(Thread.currentThread());
        long nextAttempt = 0;
        try {
            one.acquire();
            try {
                compact(partition);
            } finally {
                one.release();
            }
        } catch (InterruptedException e) {
            // Closing.
        } catch (RuntimeException e) {
            nextAttempt = time.milliseconds() + RETRY_AFTER_MILLIS;
            if (!closed) {
                LOG.warn("{} was not compacted: {}", partition.name(), e.getMessage());
            }
        } finally {
            partition.endCompaction(nextAttempt);
            running.remove(Thread.currentThread());
        }
    }

    private void compact(OffsetsPartition partition) {
        PartitionLog log = partition.log();
        LiveRecords live = new LiveRecords();
        OffsetsBounds bounds = OffsetsBounds.of(log, PATIENCE);
        long position = scan(log, bounds.start(), bounds.sequencedEnd(), live);
        Copies copies;
        partition.takeTurn(PATIENCE);
        try {
            long end = scan(log, position, OffsetsBounds.of(log, PATIENCE).sequencedEnd(), live);
            copies = copy(partition, log, live, end);
        } finally {
            partition.endTurn();
        }
        copies.durable.await(PATIENCE);
        deleteOld(partition, log, copies);
    }

    private static long scan(PartitionLog log, long from, long to, LiveRecords live) {
        long position = from;
        while (position < to) {
            OffsetsRead.Chunk chunk = OffsetsRead.read(log, position, PATIENCE);
            live.add(chunk.batches());
            position = chunk.nextOffset();
        }
        return position;
    }

    /** Appends the copies. On a failure half-way those that are in the log stay there, and do no harm. */
    private static Copies copy(OffsetsPartition partition, PartitionLog log, LiveRecords live, long end) {
        Copies copies = new Copies(end, partition.storedBytes());
        List<MemoryRecords> batches = live.toBatches();
        if (batches.isEmpty()) {
            copies.durable.answer(true);
        }
        for (int i = 0; i < batches.size(); i++) {
            MemoryRecords batch = batches.get(i);
            boolean last = i == batches.size() - 1;
            OffsetsAppend append = new OffsetsAppend(log, batch, last ? copies : OffsetsAppend.Outcome.IGNORED);
            append.sequence(PATIENCE);
            partition.countCopied(append.records(), batch.sizeInBytes());
            copies.bytes += batch.sizeInBytes();
        }
        return copies;
    }

    /** A load that runs would lose tombstones it has not seen yet, so then the old records stay until the next time. */
    private static void deleteOld(OffsetsPartition partition, PartitionLog log, Copies copies) {
        if (!partition.tryTurn()) {
            return;
        }
        try {
            Deletion deletion = new Deletion(log, copies.first, new LoopAnswer<>());
            log.container().execute(deletion);
            deletion.sequenced.await(PATIENCE);
            partition.compacted(copies.bytesBefore, copies.bytes);
            LOG.debug("Compacted {} from {} to {} bytes", partition.name(), copies.bytesBefore, copies.bytes);
        } finally {
            partition.endTurn();
        }
    }

    @Override
    public void close() {
        closed = true;
        running.forEach(Thread::interrupt);
    }

    /** The copies that one compaction wrote: where they begin, their bytes, and the bytes before them. */
    private static final class Copies implements OffsetsAppend.Outcome {
        private final long first;
        private final long bytesBefore;
        private final LoopAnswer<Boolean> durable = new LoopAnswer<>();
        private long bytes;

        Copies(long first, long bytesBefore) {
            this.first = first;
            this.bytesBefore = bytesBefore;
        }

        @Override
        public void durable(long lastOffset) {
            durable.answer(true);
        }

        @Override
        public void lost(StoreFailure why) {
            durable.fail(CoordinatorErrors.of(why));
        }
    }

    private record Deletion(PartitionLog log, long before, LoopAnswer<Boolean> sequenced) implements LoopTask {
        @Override
        public void run() {
            try {
                log.deleteBefore(before, Durable.IGNORED);
                sequenced.answer(true);
            } catch (RuntimeException e) {
                sequenced.fail(new KafkaException(e));
            }
        }

        @Override
        public void abandoned(StoreFailure why) {
            sequenced.fail(CoordinatorErrors.of(why));
        }
    }
}
