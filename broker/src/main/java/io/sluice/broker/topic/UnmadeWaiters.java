package io.sluice.broker.topic;

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
 * Readers that wait at the end of partitions which are not made yet. What is kept of a segment belongs to its container's loop;
 * it goes when the last reader does.
 */
final class UnmadeWaiters {
    /** How often it is looked whether the container still runs, which tells those who wait if it does not. */
    private static final long LOOK_MILLIS = 60_000;

    private final Map<Long, List<Parked>> bySegment = new ConcurrentHashMap<>();

    private static final class Parked implements Waiting {
        private final UnmadeWaiters home;
        private final long segment;
        private final long offset;
        private final Isolation isolation;
        private final TailWaiter waiter;
        private boolean done;
        /** Where it waits on, once the partition is made. */
        private @Nullable Waiting there;

        Parked(UnmadeWaiters home, long segment, long offset, Isolation isolation, TailWaiter waiter) {
            this.home = home;
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
                home.remove(this);
            }
        }
    }

    Waiting park(SegmentContainer container, long segment, long offset, Isolation isolation, TailWaiter waiter) {
        List<Parked> all = bySegment.get(segment);
        if (all == null) {
            all = new ArrayList<>(1);
            bySegment.put(segment, all);
            watch(container, segment, all);
        }
        Parked parked = new Parked(this, segment, offset, isolation, waiter);
        all.add(parked);
        return parked;
    }

    private void watch(SegmentContainer container, long segment, List<Parked> all) {
        container.schedule(LOOK_MILLIS, new LoopTask() {
            @Override
            public void run() {
                if (bySegment.get(segment) == all) {
                    watch(container, segment, all);
                }
            }

            @Override
            public void abandoned(StoreFailure why) {
                if (bySegment.remove(segment, all)) {
                    all.forEach(parked -> {
                        parked.done = true;
                        parked.waiter.closed(why);
                    });
                }
            }
        });
    }

    private void remove(Parked parked) {
        List<Parked> all = bySegment.get(parked.segment);
        if (all != null && all.remove(parked) && all.isEmpty()) {
            bySegment.remove(parked.segment, all);
        }
    }

    /** Lets them wait on where the partition is now. */
    void made(PartitionLog log, long segment) {
        List<Parked> all = bySegment.remove(segment);
        if (all != null) {
            for (Parked parked : all) {
                parked.done = true;
                parked.there = log.await(parked.offset, parked.isolation, parked.waiter);
            }
        }
    }

    /** Of how many segments somebody waits. */
    int size() {
        return bySegment.size();
    }
}
