package io.sluice.broker.log.state;

import io.sluice.broker.log.PartitionTransactions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Transactions of a partition, from its state. */
record StateTransactions(TransactionsPart transactions, KafkaProducers kafka) implements PartitionTransactions {
    @Override
    public boolean isOpen(long producerId, short epoch) {
        return transactions.isOpen(producerId, epoch);
    }

    @Override
    public Verification verify(long producerId, short epoch) {
        return transactions.verify(producerId, epoch);
    }

    @Override
    public boolean verified(Verification asked) {
        return transactions.verified(asked);
    }

    @Override
    public List<Aborted> abortedIn(long from, long to) {
        return transactions.abortedIn(from, to);
    }

    @Override
    public long openFrom(long producerId) {
        return transactions.openFrom(producerId);
    }

    @Override
    public int openTransactions() {
        return transactions.open();
    }

    @Override
    public int abortedTransactions() {
        return transactions.aborted();
    }

    @Override
    public List<Producer> producers() {
        List<Producer> all = new ArrayList<>();
        Set<Long> forgotten = transactions.producers();
        kafka.forEach((id, epoch, lastSequence, lastSeen, coordinatorEpoch) -> {
            long from = transactions.openFrom(id);
            all.add(new Producer(id, epoch, lastSequence, lastSeen, coordinatorEpoch, from));
            forgotten.remove(id);
        });
        for (long id : forgotten) {
            long from = transactions.openFrom(id);
            all.add(new Producer(id, transactions.openEpoch(id), -1, -1, -1, from));
        }
        return all;
    }
}
