package io.sluice.transactions;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Ids of one state partition whose transaction is open. Any thread. */
final class OpenTransactions {
    private final Set<TransactionalId> ids = ConcurrentHashMap.newKeySet();
    private final TransactionCounts ofProducers;

    /** @param ofProducers counts those that are not single */
    OpenTransactions(TransactionCounts ofProducers) {
        this.ofProducers = ofProducers;
    }

    /** What was open before this term. */
    void loaded(TransactionalId id) {
        ids.add(id);
    }

    /** Durably. */
    void begun(TransactionalId id) {
        if (ids.add(id) && !id.isSingle()) {
            ofProducers.begin();
        }
    }

    /** Its outcome is durable. */
    void ended(TransactionalId id, boolean commit) {
        ids.remove(id);
        if (!id.isSingle()) {
            ofProducers.end(commit);
        }
    }

    Iterable<TransactionalId> all() {
        return ids;
    }

    /** Single ones, or the others. */
    int count(boolean single) {
        return (int) ids.stream().filter(id -> id.isSingle() == single).count();
    }

    /** When the eldest of those that are not single began, milliseconds since the epoch; {@link Long#MAX_VALUE} if none is open. */
    long eldestBegan() {
        return ids.stream()
                .filter(id -> !id.isSingle())
                .mapToLong(TransactionalId::began)
                .min()
                .orElse(Long.MAX_VALUE);
    }
}
