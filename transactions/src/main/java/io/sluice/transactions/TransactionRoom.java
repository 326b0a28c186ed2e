package io.sluice.transactions;

import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounds what the shards of this process keep, all of them together. Half of the ids are for producers, which keep theirs for days; a
 * quarter for single transactions that have not ended, and a quarter for those that have and are remembered for a while. So neither kind
 * can take the other's room. Any thread.
 */
final class TransactionRoom {
    private static final Logger LOG = LoggerFactory.getLogger(TransactionRoom.class);
    private static final long WARN_EVERY_MILLIS = 60_000;

    /** Single transactions that have ended and are remembered by one shard, whatever room there is. */
    private static final int MOST_REMEMBERED = 10_000;

    private final TransactionSettings settings;
    private final Supplier<List<? extends Occupancy>> shards;
    private final LongSupplier clock;
    private final int remembered;
    private volatile long nextWarning;

    /** Counts of what one shard keeps. Any thread. */
    interface Occupancy {
        /** Ids that are not single. */
        int producers();

        /** Single transactions that are open or being ended. */
        int unendedSingles();

        /** Partitions of all open transactions together. */
        int openPartitions();
    }

    /**
     * @param mostShards how many there may be
     * @param clock milliseconds since the epoch
     */
    TransactionRoom(
            TransactionSettings settings,
            int mostShards,
            Supplier<List<? extends Occupancy>> shards,
            LongSupplier clock) {
        this.settings = settings;
        this.shards = shards;
        this.clock = clock;
        this.remembered = Math.clamp(settings.maxIds() / 4 / mostShards, 1, MOST_REMEMBERED);
    }

    /** Whether one more producer's id may be known. */
    boolean forProducer() {
        return isBelow(Occupancy::producers, settings.maxIds() / 2, "transactional ids of producers");
    }

    /** Whether one more single transaction may be open. */
    boolean forSingle() {
        return isBelow(Occupancy::unendedSingles, settings.maxIds() / 4, "open Pulsar transactions");
    }

    /** Whether so many partitions more may be part of open transactions. */
    boolean forPartitions(int more) {
        return more <= 0
                || isBelow(Occupancy::openPartitions, settings.maxIds() - more + 1, "partitions in open transactions");
    }

    /** Single transactions that have ended and may be remembered by one shard. */
    int remembered() {
        return remembered;
    }

    private boolean isBelow(ToIntFunction<Occupancy> counted, int bound, String what) {
        long now = 0;
        for (Occupancy shard : shards.get()) {
            now += counted.applyAsInt(shard);
        }
        if (now < Math.max(1, bound)) {
            return true;
        }
        warn(now, what);
        return false;
    }

    private void warn(long now, String what) {
        long at = clock.getAsLong();
        if (at >= nextWarning) {
            nextWarning = at + WARN_EVERY_MILLIS;
            LOG.warn(
                    "There are {} {}, and for no more is there room: more memory (--memory) allows for more",
                    now,
                    what);
        }
    }
}
