package io.sluice.broker.log;

import java.util.List;

/** Transactions of a partition as its readers see them; none begins here. */
record ReadOnlyTransactions(PartitionTransactions of) implements PartitionTransactions {
    @Override
    public boolean isOpen(long producerId, short epoch) {
        return false;
    }

    @Override
    public Verification verify(long producerId, short epoch) {
        return new Verification(producerId, epoch);
    }

    /** The entry is refused then. */
    @Override
    public boolean verified(Verification asked) {
        return true;
    }

    @Override
    public List<Aborted> abortedIn(long from, long to) {
        return of.abortedIn(from, to);
    }

    @Override
    public int openTransactions() {
        return of.openTransactions();
    }

    @Override
    public int abortedTransactions() {
        return of.abortedTransactions();
    }

    @Override
    public List<Producer> producers() {
        return List.of();
    }
}
