package io.sluice.store.container;

import io.sluice.store.wal.LedgerWriter;
import io.sluice.store.wal.Wal;
import io.sluice.store.wal.WalStore;
import org.jspecify.annotations.Nullable;

/**
 * Takes a container's log over and rebuilds the container from it; a task, which blocks. While it runs, the container is
 * this thread's: the loop leaves it alone until the result is posted. Safe to restart: every run begins a new term.
 */
final class RecoverContainer implements Runnable {
    private final Container container;
    private final WalStore store;

    RecoverContainer(Container container, WalStore store) {
        this.container = container;
        this.store = store;
    }

    @Override
    public void run() {
        @Nullable Wal wal = null;
        try {
            wal = store.open(container.id(), container.durability());
            container.takenOver(wal);
            Segments segments = container.openSegments();
            LogReplay replay = new LogReplay(segments, container.space());
            for (long ledger : wal.recovered()) {
                replay.replay(wal, ledger);
            }
            segments.checkRecovered();
            boolean cached = !segments.leftOut() || container.refill().read(wal, replay.continued());
            segments.state().beginTerm(wal.term());
            LedgerWriter first = wal.startLedger();
            container.post(() -> container.recovered(first, cached));
        } catch (Throwable e) {
            // whatever it is, the outcome is waited for
            container.post(() -> container.recoveryFailed(e));
        }
    }
}
