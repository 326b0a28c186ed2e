package io.sluice.broker.log;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Transactions of a partition, from its state. */
record StateTransactions(PartitionState state) implements PartitionTransactions {
    @Override
    public boolean isOpen(long producerId, short epoch) {
        return state.transactions().isOpen(producerId, epoch);
    }

    @Override
    public Verification verify(long producerId, short epoch) {
        return state.transactions().verify(producerId, epoch);
    }

    @Override
    public boolean verified(Verification asked) {
        return state.transactions().verified(asked);
    }

    @Override
    public List<Aborted> abortedIn(long from, long to) {
        return state.transactions().abortedIn(from, to);
    }

    @Override
    public long openFrom(long producerId) {
        return state.transactions().openFrom(producerId);
    }

    @Override
    public int openTransactions() {
        return state.transactions().open();
    }

    @Override
    public int abortedTransactions() {
        return state.transactions().aborted();
    }

    @Override
    public List<Producer> producers() {
        List<Producer> all = new ArrayList<>();
        Set<Long> forgotten = state.transactions().producers();
        state.kafkaProducers().forEach((id, epoch, lastSequence, lastSeen, coordinatorEpoch) -> {
            long from = state.transactions().openFrom(id);
            all.add(new Producer(id, epoch, lastSequence, lastSeen, coordinatorEpoch, from));
            forgotten.remove(id);
        });
        for (long id : forgotten) {
            long from = state.transactions().openFrom(id);
            all.add(new Producer(id, state.transactions().openEpoch(id), -1, -1, -1, from));
        }
        return all;
    }
}
