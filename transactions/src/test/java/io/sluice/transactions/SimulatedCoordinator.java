package io.sluice.transactions;

import org.jspecify.annotations.Nullable;

/** Coordinator of one term, which another may have followed before it is told. */
final class SimulatedCoordinator {
    private final int term;
    private boolean hasLease = true;
    private @Nullable TransactionShard shard;

    SimulatedCoordinator(int term) {
        this.term = term;
    }

    int term() {
        return term;
    }

    void begin(TransactionShard loaded) {
        shard = loaded;
    }

    TransactionShard shard() {
        TransactionShard begun = shard;
        if (begun == null) {
            throw new IllegalStateException("it has not begun");
        }
        return begun;
    }

    boolean hasLease() {
        return hasLease;
    }

    void loseLease() {
        hasLease = false;
    }
}
