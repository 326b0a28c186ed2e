package io.sluice.transactions;

import io.sluice.broker.coordination.CoordinatorLog;
import io.sluice.broker.coordination.CoordinatorLogException;
import io.sluice.broker.coordination.LogLoad;
import io.sluice.broker.topic.Topic;
import io.sluice.store.segment.StoreFailure;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.function.BiFunction;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One partition of the state topic: its log, and the shard that was loaded from it while this process serves it. Each term loads
 * a new one, on a virtual thread; until it has, callers are told to wait.
 */
final class StatePartition implements StateLog {
    private static final Logger LOG = LoggerFactory.getLogger(StatePartition.class);
    private static final Duration READ_TIMEOUT = Duration.ofSeconds(30);
    private static final long RETRY_MILLIS = 500;

    /** Loads of all partitions that may run at once, each with a chunk of about 1 MiB in memory. */
    private static final Semaphore LOADS = new Semaphore(2);

    private final CoordinatorLog log;
    private final LongSupplier clock;
    private final IntFunction<TransactionShard> newShard;

    /** Rises with every term's begin and end; a load of an earlier one comes to nothing. Guarded by this. */
    private int generation;

    private @Nullable Thread loading;
    private volatile @Nullable TransactionShard shard;

    /** @param newShard by the epoch of the term, without ids */
    StatePartition(CoordinatorLog log, LongSupplier clock, BiFunction<StateLog, Integer, TransactionShard> newShard) {
        this.log = log;
        this.clock = clock;
        this.newShard = epoch -> newShard.apply(this, epoch);
    }

    int container() {
        return log.container();
    }

    /** See {@link CoordinatorLog#relocate}. */
    boolean relocate(Topic.Placement now) {
        return log.relocate(now);
    }

    boolean isServed() {
        return log.isServed();
    }

    /**
     * The shard that answers for its ids; null unless it is loaded and the partition is served here: a lease may run out before the term is
     * ended, and then another node may have loaded the same ids.
     */
    @Nullable
    TransactionShard shard() {
        TransactionShard now = loaded();
        return now == null || !isServed() ? null : now;
    }

    /** Reason why there is no {@link #shard}. */
    TransactionError absence() {
        return isServed() ? TransactionError.LOADING : TransactionError.NOT_COORDINATOR;
    }

    /** The shard that is kept, to be looked after and counted; null unless it is loaded. */
    @Nullable
    TransactionShard loaded() {
        TransactionShard now = shard;
        return now == null || now.isClosed() ? null : now;
    }

    /** A term has begun here. */
    synchronized void begin() {
        end();
        int mine = generation;
        loading = Thread.ofVirtual().name("load " + log.name()).start(() -> load(mine));
    }

    /** The term is over. */
    synchronized void end() {
        generation++;
        TransactionShard now = shard;
        shard = null;
        if (now != null) {
            now.close();
        }
        if (loading != null) {
            loading.interrupt();
            loading = null;
        }
    }

    private void load(int mine) {
        try {
            while (!loadInTurn(mine)) {
                Thread.sleep(RETRY_MILLIS);
            }
        } catch (InterruptedException | CoordinatorLogException.Interrupted e) {
            // The term is over.
        } catch (RuntimeException e) {
            LOG.error("Transactions of {} cannot be loaded: {}", log.name(), e.getMessage(), e);
        }
    }

    /** @return false if it is to be tried again */
    private boolean loadInTurn(int mine) throws InterruptedException {
        LOADS.acquire();
        try {
            return loadOnce(mine);
        } finally {
            LOADS.release();
        }
    }

    private boolean loadOnce(int mine) {
        TransactionShard loaded;
        try {
            LogLoad load = log.load();
            loaded = newShard.apply(log.partition().leaderEpoch());
            for (ByteBuffer chunk = load.next(READ_TIMEOUT); chunk != null; chunk = load.next(READ_TIMEOUT)) {
                StateRecords.forEach(chunk, (key, value) -> StateRecords.load(key, value, loaded::load));
            }
        } catch (CoordinatorLogException.Interrupted e) {
            throw e;
        } catch (CoordinatorLogException e) {
            boolean stillServed = isServed();
            if (stillServed) {
                LOG.warn("Loading transactions of {} has to wait: {}", log.name(), e.getMessage());
            }
            return !stillServed;
        }
        synchronized (this) {
            if (generation == mine) {
                loading = null;
                loaded.begin();
                shard = loaded;
            }
        }
        return true;
    }

    @Override
    public void append(ByteBuffer key, @Nullable ByteBuffer value, Written written) {
        ByteBuffer entry = StateRecords.entry(key, value, clock.getAsLong());
        log.submit(entry, 1, new CoordinatorLog.Submitted() {
            @Override
            public void durable(long end) {
                written.durable();
            }

            @Override
            public void lost(StoreFailure why) {
                written.lost();
            }

            @Override
            public void refused(CoordinatorLogException why) {
                written.refused(errorOf(why));
            }
        });
    }

    private static TransactionError errorOf(CoordinatorLogException why) {
        if (!(why instanceof CoordinatorLogException.Store store)) {
            return TransactionError.UNAVAILABLE;
        }
        return switch (store.failure()) {
            case StoreFailure.NotOwner _, StoreFailure.NoSuchSegment _, StoreFailure.Sealed _ ->
                TransactionError.NOT_COORDINATOR;
            case StoreFailure.Overloaded _, StoreFailure.TierUnavailable _ -> TransactionError.UNAVAILABLE;
            case StoreFailure.TooLarge _, StoreFailure.OutOfRange _, StoreFailure.Corrupt _ -> TransactionError.FAILED;
        };
    }
}
