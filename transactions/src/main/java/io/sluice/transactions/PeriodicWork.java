package io.sluice.transactions;

import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Work that shards have without being asked: what is tried again, overdue or unused. On one thread. */
final class PeriodicWork implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PeriodicWork.class);
    private static final long TICK_MILLIS = 100;
    private static final long OVERDUE_EVERY_MILLIS = 1_000;
    private static final long UNUSED_EVERY_MILLIS = 600_000;

    private final Supplier<List<TransactionShard>> shards;
    private final LongSupplier clock;
    private final long idExpiryMillis;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("transactions").factory());
    private long nextOverdue;
    private long nextUnused;

    /**
     * @param shards those that are loaded
     * @param clock milliseconds since the epoch
     * @param idExpiryMillis after which an unused transactional id is forgotten
     */
    PeriodicWork(Supplier<List<TransactionShard>> shards, LongSupplier clock, long idExpiryMillis) {
        this.shards = shards;
        this.clock = clock;
        this.idExpiryMillis = idExpiryMillis;
    }

    void start() {
        timer.scheduleWithFixedDelay(this::tick, TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void tick() {
        try {
            long now = clock.getAsLong();
            boolean lookForOverdue = now >= nextOverdue;
            boolean lookForUnused = now >= nextUnused;
            nextOverdue = lookForOverdue ? now + OVERDUE_EVERY_MILLIS : nextOverdue;
            nextUnused = lookForUnused ? now + UNUSED_EVERY_MILLIS : nextUnused;
            for (TransactionShard shard : shards.get()) {
                lookAfter(shard, lookForOverdue, lookForUnused);
            }
        } catch (RuntimeException e) {
            LOG.error("A look after transactions failed: {}", e.getMessage(), e);
        }
    }

    /** A failure does not keep the other shards waiting. */
    private void lookAfter(TransactionShard shard, boolean lookForOverdue, boolean lookForUnused) {
        try {
            shard.retry();
            shard.endWaits();
            shard.singles().forgetEnded();
            if (lookForOverdue) {
                shard.abortOverdue();
            }
            if (lookForUnused) {
                shard.forgetUnused(idExpiryMillis);
            }
        } catch (RuntimeException e) {
            LOG.error("A look after transactions failed: {}", e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
