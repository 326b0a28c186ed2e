package io.sluice.transactions;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Transactional ids of one shard by name, with the number of single transactions among them. Any thread. */
final class TransactionalIds {
    private final Map<String, TransactionalId> byName = new ConcurrentHashMap<>();
    private final AtomicInteger singles = new AtomicInteger();

    @Nullable
    TransactionalId get(String name) {
        return byName.get(name);
    }

    Collection<TransactionalId> all() {
        return byName.values();
    }

    int size() {
        return byName.size();
    }

    /** Ids of single transactions. */
    int singles() {
        return singles.get();
    }

    /** Adds the id, in place of another of its name. */
    void put(TransactionalId id) {
        added(id);
        removed(byName.put(id.name(), id));
    }

    /** @return the id that has this name already; null if {@code id} was added */
    @Nullable
    TransactionalId putIfAbsent(TransactionalId id) {
        TransactionalId known = byName.putIfAbsent(id.name(), id);
        if (known == null) {
            added(id);
        }
        return known;
    }

    void remove(String name) {
        removed(byName.remove(name));
    }

    /** Removes this id, but not another of its name. */
    void remove(TransactionalId id) {
        if (byName.remove(id.name(), id)) {
            removed(id);
        }
    }

    private void added(TransactionalId id) {
        singles.addAndGet(id.isSingle() ? 1 : 0);
    }

    private void removed(@Nullable TransactionalId id) {
        singles.addAndGet(id != null && id.isSingle() ? -1 : 0);
    }

    /** Descriptions of all ids, but for dead ones. */
    List<TransactionDescription> descriptions() {
        List<TransactionDescription> descriptions = new ArrayList<>();
        for (TransactionalId id : all()) {
            TransactionDescription description = id.describe();
            if (description != null) {
                descriptions.add(description);
            }
        }
        return descriptions;
    }
}
