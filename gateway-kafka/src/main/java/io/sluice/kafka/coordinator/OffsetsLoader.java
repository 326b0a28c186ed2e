package io.sluice.kafka.coordinator;

import io.sluice.broker.log.PartitionLog;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.coordinator.common.runtime.CoordinatorLoader;
import org.apache.kafka.coordinator.common.runtime.CoordinatorPlayback;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replays an offsets partition into a coordinator that takes it over: everything from the log's start to its sequenced
 * end, on a virtual thread. Two loads at a time, one chunk of {@link OffsetsRead#MAX_BYTES} in memory each. A tier that
 * does not answer is asked again until the loader closes or the container goes.
 */
final class OffsetsLoader implements CoordinatorLoader<CoordinatorRecord> {
    private static final Logger LOG = LoggerFactory.getLogger(OffsetsLoader.class);
    private static final Duration READ_TIMEOUT = Duration.ofSeconds(30);
    private static final long FIRST_PAUSE_MILLIS = 50;
    private static final long LONGEST_PAUSE_MILLIS = 5_000;

    private final Map<TopicPartition, OffsetsPartition> partitions;
    private final Time time;
    private final Semaphore slots = new Semaphore(2);
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Set<Thread> loads = ConcurrentHashMap.newKeySet();

    OffsetsLoader(Map<TopicPartition, OffsetsPartition> partitions, Time time) {
        this.partitions = partitions;
        this.time = time;
    }

    @Override
    public CompletableFuture<LoadSummary> load(TopicPartition tp, CoordinatorPlayback<CoordinatorRecord> coordinator) {
        CompletableFuture<LoadSummary> done = new CompletableFuture<>();
        OffsetsPartition partition = partitions.get(tp);
        if (partition == null || isClosed()) {
            done.completeExceptionally(new KafkaException("cannot load " + tp + ": closed, or no such partition"));
            return done;
        }
        long askedAt = time.milliseconds();
        Thread.ofVirtual().name("load " + tp).start(() -> run(partition, coordinator, askedAt, done));
        return done;
    }

    private void run(
            OffsetsPartition partition,
            CoordinatorPlayback<CoordinatorRecord> coordinator,
            long askedAt,
            CompletableFuture<LoadSummary> done) {
        loads.add(Thread.currentThread());
        try {
            slots.acquire();
            try {
                partition.takeTurn();
                try {
                    done.complete(replay(partition, coordinator, askedAt));
                } finally {
                    partition.endTurn();
                }
            } finally {
                slots.release();
            }
        } catch (InterruptedException e) {
            done.completeExceptionally(new InterruptException("coordinator loader is closed", e));
        } catch (Throwable e) {
            done.completeExceptionally(e);
        } finally {
            loads.remove(Thread.currentThread());
        }
    }

    private LoadSummary replay(
            OffsetsPartition partition, CoordinatorPlayback<CoordinatorRecord> coordinator, long askedAt) {
        long startedAt = time.milliseconds();
        PartitionLog log = partition.log();
        OffsetsReplay replay = new OffsetsReplay(partition.name(), coordinator);
        long position = OffsetsBounds.of(log, READ_TIMEOUT).start();
        while (true) {
            OffsetsRead.Chunk chunk = read(log, position);
            if (chunk.isEnd()) {
                break;
            }
            replay.replay(chunk.batches());
            position = chunk.nextOffset();
        }
        replay.finish(position);
        partition.loaded(replay.bytes());
        return new LoadSummary(startedAt, time.milliseconds(), startedAt - askedAt, replay.records(), replay.bytes());
    }

    private OffsetsRead.Chunk read(PartitionLog log, long position) {
        long pause = FIRST_PAUSE_MILLIS;
        while (true) {
            if (isClosed()) {
                throw new KafkaException("coordinator loader is closed");
            }
            try {
                return OffsetsRead.read(log, position, READ_TIMEOUT);
            } catch (KafkaException e) {
                if (!CoordinatorErrors.isTransient(e) && !(e instanceof TimeoutException)) {
                    throw e;
                }
                LOG.warn("Reading group offsets at {} has to wait: {}", position, e.getMessage());
            }
            pause(pause);
            pause = Math.min(pause * 2, LONGEST_PAUSE_MILLIS);
        }
    }

    private void pause(long millis) {
        try {
            closed.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            throw new InterruptException("coordinator loader is closed", e);
        }
    }

    private boolean isClosed() {
        return closed.getCount() == 0;
    }

    @Override
    public void close() {
        closed.countDown();
        loads.forEach(Thread::interrupt);
    }
}
