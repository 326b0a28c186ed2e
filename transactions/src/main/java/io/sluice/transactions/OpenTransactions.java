package io.sluice.transactions;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Ids of one state partition whose transaction is open. Any thread. */
final class OpenTransactions {
    /** With the number of partitions of each. */
    private final Map<TransactionalId, Integer> ids = new ConcurrentHashMap<>();

    private final AtomicInteger partitions = new AtomicInteger();
    private final TransactionCounts.ByKind counts;

    OpenTransactions(TransactionCounts.ByKind counts) {
        this.counts = counts;
    }

    /** Adds a transaction that was open before this term. */
    void loaded(TransactionalId id) {
        put(id);
    }

    private boolean put(TransactionalId id) {
        int now = id.partitions();
        Integer before = ids.put(id, now);
        partitions.addAndGet(now - (before == null ? 0 : before));
        return before == null;
    }

    /** Partitions of all open transactions together. */
    int partitions() {
        return partitions.get();
    }

    /** Partitions of this transaction; 0 if it is not open. */
    int partitions(TransactionalId id) {
        return ids.getOrDefault(id, 0);
    }

    /** Durably; or it has more partitions now. */
    void begun(TransactionalId id) {
        if (put(id)) {
            counts.of(id.isSingle()).begin();
        }
    }

    /** Its outcome is durable. */
    void ended(TransactionalId id, boolean commit) {
        Integer before = ids.remove(id);
        partitions.addAndGet(before == null ? 0 : -before);
        counts.of(id.isSingle()).end(commit);
    }

    Iterable<TransactionalId> all() {
        return ids.keySet();
    }

    /** Single ones, or the others. */
    int count(boolean single) {
        return (int) ids.keySet().stream().filter(id -> id.isSingle() == single).count();
    }

    /** When the eldest of those that are not single began, milliseconds since the epoch; {@link Long#MAX_VALUE} if none is open. */
    long eldestBegan() {
        return ids.keySet().stream()
                .filter(id -> !id.isSingle())
                .mapToLong(TransactionalId::began)
                .min()
                .orElse(Long.MAX_VALUE);
    }
}
