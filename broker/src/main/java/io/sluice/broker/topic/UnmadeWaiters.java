package io.sluice.broker.topic;

import io.netty.util.collection.LongObjectHashMap;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.PartitionLog.TailWaiter;
import io.sluice.broker.log.PartitionLog.Waiting;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Readers that wait at the end of partitions which are not made yet. A reader that leaves, or is answered, leaves nothing behind: a
 * container has one timer, however many wait there and however often they come again.
 */
final class UnmadeWaiters {
    /** Pause between looks whether anybody still waits in a container. Its stop is told by the same timer, at once. */
    private static final long LOOK_MILLIS = 60_000;

    private final Map<SegmentContainer, Watch> byContainer = new ConcurrentHashMap<>();

    /** A reader, in the list of those that wait for the same segment. */
    private static final class Parked implements Waiting {
        private final Watch watch;
        private final long segment;
        private final long offset;
        private final Isolation isolation;
        private final TailWaiter waiter;
        private boolean done;
        private @Nullable Parked previous;
        private @Nullable Parked next;
        /** Where it waits on, once the partition is made. */
        private @Nullable Waiting there;

        Parked(Watch watch, long segment, long offset, Isolation isolation, TailWaiter waiter) {
            this.watch = watch;
            this.segment = segment;
            this.offset = offset;
            this.isolation = isolation;
            this.waiter = waiter;
        }

        @Override
        public void cancel() {
            if (there != null) {
                there.cancel();
            } else if (!done) {
                done = true;
                watch.remove(this);
            }
        }
    }

    /** All that wait in one container, for one term of it. Belongs to its loop. */
    private final class Watch implements LoopTask {
        private final SegmentContainer container;
        private LongObjectHashMap<Parked> firsts = new LongObjectHashMap<>();
        private boolean scheduled;

        Watch(SegmentContainer container) {
            this.container = container;
        }

        void add(Parked parked) {
            Parked first = firsts.put(parked.segment, parked);
            if (first != null) {
                parked.next = first;
                first.previous = parked;
            }
            if (!scheduled) {
                scheduled = true;
                container.schedule(LOOK_MILLIS, this);
            }
        }

        /** Leaves {@code parked.next} as it is, for the loop that goes through the list at this moment. */
        void remove(Parked parked) {
            Parked before = parked.previous;
            Parked after = parked.next;
            if (after != null) {
                after.previous = before;
            }
            if (before != null) {
                before.next = after;
            } else if (firsts.get(parked.segment) == parked) {
                if (after == null) {
                    firsts.remove(parked.segment);
                } else {
                    firsts.put(parked.segment, after);
                }
            }
        }

        void made(long segment, PartitionLog log) {
            for (Parked p = firsts.remove(segment); p != null; p = p.next) {
                if (!p.done) {
                    p.done = true;
                    p.there = log.await(p.offset, p.isolation, p.waiter);
                }
            }
        }

        @Override
        public void run() {
            scheduled = false;
            if (firsts.isEmpty()) {
                byContainer.remove(container, this);
            } else {
                scheduled = true;
                container.schedule(LOOK_MILLIS, this);
            }
        }

        @Override
        public void abandoned(StoreFailure why) {
            byContainer.remove(container, this);
            List<Parked> all = new ArrayList<>(firsts.values());
            firsts = new LongObjectHashMap<>();
            for (Parked first : all) {
                for (Parked p = first; p != null; p = p.next) {
                    if (!p.done) {
                        p.done = true;
                        p.waiter.closed(why);
                    }
                }
            }
        }
    }

    /** On the container's loop, as all but {@link #containers}. */
    Waiting park(SegmentContainer container, long segment, long offset, Isolation isolation, TailWaiter waiter) {
        Watch watch = byContainer.computeIfAbsent(container, Watch::new);
        Parked parked = new Parked(watch, segment, offset, isolation, waiter);
        watch.add(parked);
        return parked;
    }

    /** Lets those who wait for the segment wait on where the partition is now. */
    void made(SegmentContainer container, long segment, PartitionLog log) {
        Watch watch = byContainer.get(container);
        if (watch != null) {
            watch.made(segment, log);
        }
    }

    /** Containers with waiters, now or within the last minute. */
    int containers() {
        return byContainer.size();
    }
}
