package io.sluice.broker.log.open;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.PartitionTransactions;
import java.util.List;

/** Transactions of a partition that is not made: none, and made for the write that is about to come. */
record LazyTransactions(PartitionCreator creator) implements PartitionTransactions {
    @Override
    public boolean isOpen(long producerId, short epoch) {
        return false;
    }

    @Override
    public Verification verify(long producerId, short epoch) {
        PartitionLog log = creator.getOrCreate();
        return log == null
                ? new Verification(producerId, epoch)
                : log.transactions().verify(producerId, epoch);
    }

    @Override
    public boolean verified(Verification asked) {
        return false;
    }

    @Override
    public List<Aborted> abortedIn(long from, long to) {
        return List.of();
    }

    @Override
    public List<Producer> producers() {
        return List.of();
    }
}
