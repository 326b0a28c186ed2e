package io.sluice.store.wal;

import io.sluice.store.wal.bookkeeper.InMemoryWalStore;

class DeferredInMemoryWalTest extends WalContract {
    private final InMemoryWalStore store = new InMemoryWalStore();

    @Override
    protected WalStore connect() {
        return store;
    }

    @Override
    protected Durability durability() {
        return new Durability(Durability.Copies.ONE, Durability.Sync.DEFER);
    }
}
