package io.sluice.broker.log.read;

import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.PartitionLog.TailWaiter;
import io.sluice.broker.log.PartitionLog.Waiting;
import io.sluice.broker.log.PartitionLog.Watcher;
import io.sluice.broker.log.state.PartitionEnds;
import io.sluice.store.segment.StoreFailure;
import org.jspecify.annotations.Nullable;

/** End of a partition's log: moves it on as appends become durable, and tells parked readers and watchers. Loop only. */
public final class LogTail {
    private final PartitionEnds ends;
    private final ParkedReaders parked;
    /** Null until the first watcher. */
    private @Nullable LogWatchers watchers;

    public LogTail(PartitionEnds ends) {
        this.ends = ends;
        this.parked = new ParkedReaders(ends);
    }

    /** See {@link PartitionLog#await}; of a log that is open. */
    public Waiting await(long offset, Isolation isolation, TailWaiter waiter) {
        if (ends.readable(isolation) > offset) {
            waiter.moreToRead();
            return () -> {};
        }
        return parked.park(offset, isolation, waiter);
    }

    /** See {@link PartitionLog#watch}; of a log that is open. */
    public Waiting watch(Watcher watcher) {
        if (watchers == null) {
            watchers = new LogWatchers();
        }
        return watchers.add(watcher);
    }

    /** Parked readers and watchers. */
    public int waiting() {
        return parked.waiting() + (watchers == null ? 0 : watchers.size());
    }

    /** Bytes below {@code position} are durable. */
    public void durableTo(long position) {
        if (ends.durableTo(position)) {
            parked.endMoved();
            moved();
        }
    }

    /** An end or the start has moved. */
    public void moved() {
        if (watchers != null) {
            watchers.moved();
        }
    }

    /** The end stays where it is. */
    public void terminated() {
        parked.terminated();
    }

    public void close(StoreFailure why) {
        parked.closed(why);
        if (watchers != null) {
            watchers.closed(why);
        }
    }
}
