package io.sluice.broker.log.read;

import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog.TailWaiter;
import io.sluice.broker.log.PartitionLog.Waiting;
import io.sluice.broker.log.state.PartitionEnds;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayList;
import java.util.List;

/** Readers that wait for the readable end to pass an offset. Nearly all wait at the end itself, so all are looked at when it moves. */
final class ParkedReaders {
    private final PartitionEnds ends;
    private List<Parked> parked = new ArrayList<>(0);
    private List<Parked> spare = new ArrayList<>(0);
    private int cancelled;

    private static final class Parked implements Waiting {
        private final ParkedReaders home;
        private final long offset;
        private final Isolation isolation;
        private final TailWaiter waiter;
        private boolean done;

        Parked(ParkedReaders home, long offset, Isolation isolation, TailWaiter waiter) {
            this.home = home;
            this.offset = offset;
            this.isolation = isolation;
            this.waiter = waiter;
        }

        /** The end of this reader's isolation. */
        long end(long uncommitted, long committed) {
            return isolation == Isolation.COMMITTED ? committed : uncommitted;
        }

        @Override
        public void cancel() {
            if (!done) {
                done = true;
                home.cancelled();
            }
        }
    }

    ParkedReaders(PartitionEnds ends) {
        this.ends = ends;
    }

    Waiting park(long offset, Isolation isolation, TailWaiter waiter) {
        Parked p = new Parked(this, offset, isolation, waiter);
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

    /** Number of readers that were not cancelled. */
    int waiting() {
        return parked.size() - cancelled;
    }

    int size() {
        return parked.size();
    }

    /** Wakes who waits below the end; one that parks again while being told waits for the next call. */
    void endMoved() {
        if (parked.isEmpty()) {
            return;
        }
        cancelled = 0;
        long uncommitted = ends.readable(Isolation.UNCOMMITTED);
        long committed = ends.readable(Isolation.COMMITTED);
        List<Parked> all = parked;
        parked = spare;
        spare = new ArrayList<>(0);
        for (Parked p : all) {
            if (!p.done && p.offset >= p.end(uncommitted, committed)) {
                parked.add(p);
            }
        }
        wake(all, uncommitted, committed);
        all.clear();
        spare = all;
    }

    private static void wake(List<Parked> all, long uncommitted, long committed) {
        for (Parked p : all) {
            if (!p.done && p.offset < p.end(uncommitted, committed)) {
                p.done = true;
                p.waiter.moreToRead();
            }
        }
    }

    void terminated() {
        for (Parked p : List.copyOf(parked)) {
            if (!p.done) {
                p.waiter.terminated();
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
