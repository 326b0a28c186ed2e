package io.sluice.store.sim;

import io.sluice.store.cluster.Metadata;
import io.sluice.store.wal.bookkeeper.InMemoryWalStore;
import java.util.List;

/** Every ledger that the stored chain names exists: without it nobody could take the log over any more. */
final class ChainIsWhole implements Checker {
    private final InMemoryWalStore wal;
    private final Metadata metadata;

    ChainIsWhole(InMemoryWalStore wal, Metadata metadata) {
        this.wal = wal;
        this.metadata = metadata;
    }

    @Override
    public void turn() {
        List<Long> missing = wal.missing(SimWorld.CONTAINER, metadata);
        if (!missing.isEmpty()) {
            throw new Violation(ChainIsWhole.class, "the chain names ledgers that are gone: " + missing);
        }
    }
}
