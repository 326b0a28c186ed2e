package io.sluice.kafka.fetch;

import io.sluice.broker.log.PartitionLog;
import io.sluice.kafka.api.KafkaErrors;
import io.sluice.store.segment.StoreFailure;
import org.jspecify.annotations.Nullable;

/** A watch on one partition's log. Where nothing else is said, it belongs to the loop of the log's container. */
final class PartitionWatch implements LogWatch, PartitionLog.Watcher {
    private final ContainerWatches home;
    private final FetchPartition partition;
    private final PartitionLog log;
    private PartitionLog.@Nullable Waiting registration;
    private int place;
    private volatile boolean ended;

    /** Offset that the reader had when the log was looked at last. */
    private long from;

    /** It is among the changed ones of its container; guarded by {@link #home}. */
    private boolean changed;

    /** Number of the fetch for which these bytes were counted. */
    private long countedFor;

    private long counted;

    PartitionWatch(ContainerWatches home, FetchPartition partition, PartitionLog log, int place) {
        this.home = home;
        this.partition = partition;
        this.log = log;
        this.place = place;
    }

    void begin() {
        PartitionLog.Waiting begun = log.watch(this);
        if (!ended) {
            registration = begun;
        }
    }

    FetchPartition partition() {
        return partition;
    }

    @Override
    public PartitionLog log() {
        return log;
    }

    int place() {
        return place;
    }

    void setPlace(int index) {
        place = index;
    }

    @Override
    public void setFrom(long offset) {
        from = offset;
    }

    /** With the lock of {@link #home}. */
    boolean isChanged() {
        return changed;
    }

    /** With the lock of {@link #home}. */
    void setChanged(boolean is) {
        changed = is;
    }

    @Override
    public boolean isOn(PartitionLog other) {
        return !ended
                && (log == other
                        || log.container() == other.container()
                                && log.partitionId() == other.partitionId()
                                && log.leaderEpoch() == other.leaderEpoch());
    }

    @Override
    public void endSoon() {
        home.cancel(this);
    }

    void cancel() {
        ended = true;
        PartitionLog.Waiting at = registration;
        registration = null;
        if (at != null) {
            at.cancel();
        }
    }

    @Override
    public long count() {
        long number = home.fetchNumber();
        long before = countedFor == number ? counted : 0;
        countedFor = number;
        counted = log.bytesAfter(from);
        return counted - before;
    }

    @Override
    public void moved() {
        home.changed(this);
        FetchUnderWay fetch = home.fetch();
        if (fetch == null || log.readableEnd(fetch.isolation()) <= from) {
            return;
        }
        if (fetch.minBytes() <= 1) {
            fetch.trigger(home.container());
        } else {
            fetch.countWaiting(count());
        }
    }

    @Override
    public void closed(StoreFailure why) {
        registration = null;
        home.end(this);
        home.changed(this);
        FetchUnderWay fetch = home.fetch();
        if (fetch != null) {
            fetch.lost(partition, KafkaErrors.toConsumer(why));
        }
    }
}
