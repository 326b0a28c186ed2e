package io.sluice.transactions;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;

/** Partitions that wait to be added to transactions of a shard. */
final class Joins {
    private final ShardTerm term;
    private final Execution execution;

    /** Ids for which at least one request waits. */
    private final Set<TransactionalId> awaited = ConcurrentHashMap.newKeySet();

    Joins(ShardTerm term, Execution execution) {
        this.term = term;
        this.execution = execution;
    }

    /**
     * Adds partitions to the producer's transaction. Waits for a change that is pending: until it is made, or the deadline. All that wait
     * for the same are added with one write.
     */
    void join(TransactionalId id, Joining.Producer producer, List<Joining> all) {
        if (term.isOver()) {
            refuse(all, TransactionError.NOT_COORDINATOR);
            return;
        }
        Set<TopicPartition> partitions =
                all.stream().flatMap(each -> each.partitions().stream()).collect(Collectors.toSet());
        execution.execute(id, id.add(producer.identity(), partitions, producer.bumps(), term.now()), new CallAnswer() {
            @Override
            public void done(ProducerIdentity added) {
                all.forEach(each -> each.answer().done(added));
            }

            @Override
            public void refused(TransactionError why) {
                if (why == TransactionError.CONCURRENT) {
                    await(id, producer, all);
                } else {
                    refuse(all, why);
                }
            }
        });
    }

    private void await(TransactionalId id, Joining.Producer producer, List<Joining> all) {
        long now = term.now();
        awaited.add(id);
        List<Joining> refused = new ArrayList<>();
        List<Joining> settled = new ArrayList<>();
        for (Joining each : all) {
            boolean waits = each.deadline() > now && id.await(each);
            if (!waits) {
                (each.deadline() <= now || id.isBusy() ? refused : settled).add(each);
            }
        }
        refuse(refused, TransactionError.CONCURRENT);
        if (!settled.isEmpty()) {
            join(id, producer, settled);
        }
        if (term.isOver()) {
            settled(id);
        }
    }

    private static void refuse(List<Joining> all, TransactionError why) {
        all.forEach(each -> each.answer().refused(why));
    }

    /** Answers those that have waited long enough. */
    void endWaits() {
        for (TransactionalId id : List.copyOf(awaited)) {
            awaited.remove(id);
            refuse(id.takeOverdue(term.now()), TransactionError.CONCURRENT);
            if (id.isAwaited()) {
                awaited.add(id);
            }
        }
    }

    /** A change of the id was made: those that wait for it go on. */
    void settled(TransactionalId id) {
        List<Joining> waited = id.takeWaiting();
        if (!waited.isEmpty()) {
            waited.stream()
                    .collect(Collectors.groupingBy(Joining::key))
                    .forEach((producer, all) -> join(id, producer, all));
        }
    }
}
