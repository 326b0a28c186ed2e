package io.sluice.kafka.fetch;

import io.sluice.broker.log.PartitionLog;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Watches of one owner on the partitions of one container. */
final class ContainerWatches implements LoopTask {
    private final WatchOwner owner;
    private final SegmentContainer container;
    /** Loop only. */
    private final List<PartitionWatch> all = new ArrayList<>();

    private volatile int size;

    /** Guarded by this, as the next two. */
    private List<PartitionWatch> changed = new ArrayList<>();

    private List<PartitionWatch> unwanted = new ArrayList<>(0);
    private boolean sweeping;

    ContainerWatches(WatchOwner owner, SegmentContainer container) {
        this.owner = owner;
        this.container = container;
    }

    SegmentContainer container() {
        return container;
    }

    @Nullable
    FetchUnderWay fetch() {
        return owner.fetch();
    }

    /** Tells the fetches of its owner apart; from 1 on. */
    long fetchNumber() {
        return owner.fetchNumber();
    }

    /** Number of watches; any thread. */
    int size() {
        return size;
    }

    /** Sees to it that the partition's log is watched, from the partition's offset on. On the loop, by the fetch under way. */
    void watch(FetchPartition partition, PartitionLog log) {
        LogWatch known = partition.watch();
        if (known == null || !known.isOn(log)) {
            if (known != null) {
                known.endSoon();
            }
            if (owner.isClosed()) {
                return;
            }
            PartitionWatch watch = new PartitionWatch(this, partition, log, all.size());
            all.add(watch);
            size = all.size();
            partition.setWatch(watch);
            watch.setFrom(partition.offset());
            watch.begin();
            if (owner.isClosed()) {
                end(watch); // its closing may have missed this one
            }
        } else {
            known.setFrom(partition.offset());
        }
    }

    /** On the loop. */
    void end(PartitionWatch watch) {
        watch.cancel();
        if (watch.place() < 0) {
            return;
        }
        PartitionWatch last = all.removeLast();
        if (last != watch) {
            all.set(watch.place(), last);
            last.setPlace(watch.place());
        }
        watch.setPlace(-1);
        size = all.size();
    }

    synchronized void changed(PartitionWatch watch) {
        if (!watch.isChanged()) {
            watch.setChanged(true);
            changed.add(watch);
        }
    }

    /** Partitions that have changed since they were taken last. Any thread. */
    void takeChanged(List<FetchPartition> into) {
        List<PartitionWatch> taken;
        synchronized (this) {
            if (changed.isEmpty()) {
                return;
            }
            taken = changed;
            changed = new ArrayList<>();
            taken.forEach(watch -> watch.setChanged(false));
        }
        taken.forEach(watch -> into.add(watch.partition()));
    }

    synchronized boolean hasChanged() {
        return !changed.isEmpty();
    }

    /** Ends a watch soon. Any thread. */
    void cancel(PartitionWatch watch) {
        synchronized (this) {
            unwanted.add(watch);
        }
        sweep();
    }

    /** Ends those that were cancelled, all of them if the owner is closed: at once on the loop, else soon. Any thread. */
    void sweep() {
        if (container.onLoop()) {
            endUnwanted();
            return;
        }
        synchronized (this) {
            if (sweeping) {
                return;
            }
            sweeping = true;
        }
        container.execute(this);
    }

    private void endUnwanted() {
        List<PartitionWatch> ended;
        synchronized (this) {
            sweeping = false;
            ended = unwanted;
            unwanted = new ArrayList<>(0);
        }
        ended.forEach(this::end);
        while (owner.isClosed() && !all.isEmpty()) {
            end(all.getLast());
        }
    }

    @Override
    public void run() {
        endUnwanted();
    }

    /** Its logs are closed, and with them their watches. */
    @Override
    public void abandoned(StoreFailure why) {}
}
