package io.sluice.store.container;

import io.sluice.store.wal.Durability;
import io.sluice.store.wal.LedgerWriter;
import io.sluice.store.wal.Wal;
import io.sluice.store.wal.WalStore;
import org.jspecify.annotations.Nullable;

/**
 * Takes a container's log over and rebuilds its segments from it; a task, which blocks. While it runs, the container is
 * this thread's: the loop leaves it alone until the result is posted. Safe to restart: every run begins a new term.
 */
final class RecoverContainer implements Runnable {
    private final Host host;
    private final WalStore store;
    private final Durability durability;
    private final Segments segments;
    private final LogSpace space;
    private final CacheRefill refill;

    /** The container, as its recovery needs it. */
    interface Host {
        int id();

        /** Takes the steps' times. */
        RecoveryClock clock();

        /** The log is this node's; on the recovery's thread, which owns the container from now until {@link #recovered}. */
        void takenOver(Wal opened);

        void post(Runnable onLoop);

        /**
         * On the loop.
         *
         * @param cached the cache has all that the tier lacks
         */
        void recovered(LedgerWriter first, boolean cached);

        /** On the loop. */
        void recoveryFailed(Throwable why);
    }

    RecoverContainer(
            Host host, WalStore store, Durability durability, Segments segments, LogSpace space, CacheRefill refill) {
        this.host = host;
        this.store = store;
        this.durability = durability;
        this.segments = segments;
        this.space = space;
        this.refill = refill;
    }

    @Override
    public void run() {
        @Nullable Wal wal = null;
        try {
            wal = store.open(host.id(), durability);
            host.clock().fenced();
            host.takenOver(wal);
            LogReplay replay = new LogReplay(segments, space);
            for (long ledger : wal.recovered()) {
                replay.replay(wal, ledger);
            }
            segments.checkRecovered();
            boolean cached = !segments.leftOut() || refill.read(wal, replay.continued());
            segments.state().beginTerm(wal.term());
            host.clock().replayed(wal.recovered().size(), space.frames(), space.bytes());
            LedgerWriter first = wal.startLedger();
            host.clock().ledgerOpened();
            host.post(() -> host.recovered(first, cached));
        } catch (Throwable e) {
            // whatever it is, the outcome is waited for
            host.post(() -> host.recoveryFailed(e));
        }
    }
}
