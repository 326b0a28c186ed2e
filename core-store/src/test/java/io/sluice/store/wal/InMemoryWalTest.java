package io.sluice.store.wal;

import io.sluice.store.wal.bookkeeper.InMemoryWalStore;

class InMemoryWalTest extends WalContract {
    private final InMemoryWalStore store = new InMemoryWalStore();

    @Override
    protected WalStore connect() {
        return store;
    }
}
