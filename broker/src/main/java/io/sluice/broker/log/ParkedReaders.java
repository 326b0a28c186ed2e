package io.sluice.broker.log;

import io.sluice.broker.log.PartitionLog.TailWaiter;
import io.sluice.broker.log.PartitionLog.Waiting;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayList;
import java.util.List;

/** Readers that wait for the end to pass an offset. Nearly all wait at the end itself, so all are looked at when it moves. */
final class ParkedReaders {
    private List<Parked> parked = new ArrayList<>(0);
    private List<Parked> spare = new ArrayList<>(0);
    private int cancelled;

    private static final class Parked implements Waiting {
        private final ParkedReaders home;
        private final long offset;
        private final TailWaiter waiter;
        private boolean done;

        Parked(ParkedReaders home, long offset, TailWaiter waiter) {
            this.home = home;
            this.offset = offset;
            this.waiter = waiter;
        }

        @Override
        public void cancel() {
            if (!done) {
                done = true;
                home.cancelled();
            }
        }
    }

    Waiting park(long offset, TailWaiter waiter) {
        Parked p = new Parked(this, offset, waiter);
        parked.add(p);
        return p;
    }

    /** Cancelled ones are swept when they are half of all, so that cancelling costs the same however many wait. */
    private void cancelled() {
        if (++cancelled > parked.size() / 2) {
            parked.removeIf(p -> p.done);
            cancelled = 0;
        }
    }

    int size() {
        return parked.size();
    }

    /** Wakes who waits below {@code end}; one that parks again while being told waits for the next call. */
    void endMoved(long end) {
        if (parked.isEmpty()) {
            return;
        }
        cancelled = 0;
        List<Parked> all = parked;
        parked = spare;
        spare = new ArrayList<>(0);
        for (Parked p : all) {
            if (!p.done && p.offset >= end) {
                parked.add(p);
            }
        }
        wake(all, end);
        all.clear();
        spare = all;
    }

    private static void wake(List<Parked> all, long end) {
        for (Parked p : all) {
            if (!p.done && p.offset < end) {
                p.done = true;
                p.waiter.moreToRead();
            }
        }
    }

    void closed(StoreFailure why) {
        List<Parked> all = parked;
        parked = new ArrayList<>(0);
        for (Parked p : all) {
            if (!p.done) {
                p.done = true;
                p.waiter.closed(why);
            }
        }
    }
}
