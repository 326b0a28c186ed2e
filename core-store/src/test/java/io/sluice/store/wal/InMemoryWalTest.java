package io.sluice.store.wal;

class InMemoryWalTest extends WalContract {
    private final InMemoryWalStore store = new InMemoryWalStore();

    @Override
    protected WalStore connect() {
        return store;
    }
}
