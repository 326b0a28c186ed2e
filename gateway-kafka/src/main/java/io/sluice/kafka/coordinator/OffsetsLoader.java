package io.sluice.kafka.coordinator;

import io.sluice.broker.coordination.CoordinatorLogException;
import io.sluice.broker.coordination.LogLoad;
import java.nio.ByteBuffer;
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
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.coordinator.common.runtime.CoordinatorLoader;
import org.apache.kafka.coordinator.common.runtime.CoordinatorPlayback;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replays an offsets partition into a coordinator that takes it over: everything from the log's start to its sequenced
 * end, on a virtual thread. Two loads at a time, one chunk of about 1 MiB in memory each. A tier that
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
                partition.loading().lockInterruptibly();
                try {
                    done.complete(replay(partition, coordinator, askedAt));
                } finally {
                    partition.loading().unlock();
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
        OffsetsReplay replay = new OffsetsReplay(partition.name(), coordinator);
        try {
            LogLoad load = partition.log().load();
            for (ByteBuffer chunk = next(load); chunk != null; chunk = next(load)) {
                replay.replay(chunk);
            }
            replay.finish(load.offset());
        } catch (CoordinatorLogException e) {
            throw CoordinatorErrors.of(e);
        }
        return new LoadSummary(startedAt, time.milliseconds(), startedAt - askedAt, replay.records(), replay.bytes());
    }

    private @Nullable ByteBuffer next(LogLoad load) {
        long pause = FIRST_PAUSE_MILLIS;
        while (true) {
            if (isClosed()) {
                throw new KafkaException("coordinator loader is closed");
            }
            try {
                return load.next(READ_TIMEOUT);
            } catch (CoordinatorLogException e) {
                if (!CoordinatorErrors.isTransient(e)) {
                    throw e;
                }
                LOG.warn("Reading group offsets at {} has to wait: {}", load.offset(), e.getMessage());
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
