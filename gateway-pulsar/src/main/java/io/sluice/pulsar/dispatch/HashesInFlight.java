package io.sluice.pulsar.dispatch;

import io.netty.util.collection.IntObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Which consumer holds unacknowledged entries of a hash. A key's hash that has moved to another consumer drains first: its
 * new owner gets nothing of it until the old one has acknowledged or given back what it holds (PIP-379).
 */
final class HashesInFlight {
    private static final class Holder {
        private final Consumer consumer;
        private int entries = 1;

        Holder(Consumer consumer) {
            this.consumer = consumer;
        }
    }

    private final IntObjectHashMap<Holder> holders = new IntObjectHashMap<>();

    void sent(int hash, Consumer to) {
        Holder h = holders.get(hash);
        if (h == null) {
            holders.put(hash, new Holder(to));
        } else {
            h.entries++;
        }
    }

    void settled(int hash) {
        Holder h = holders.get(hash);
        if (h != null && --h.entries == 0) {
            holders.remove(hash);
        }
    }

    /** Whether {@code consumer} may be sent an entry of this hash now. */
    boolean openTo(int hash, Consumer consumer) {
        Holder h = holders.get(hash);
        return h == null || h.consumer == consumer;
    }

    @Nullable
    Consumer holder(int hash) {
        Holder h = holders.get(hash);
        return h == null ? null : h.consumer;
    }

    void clear() {
        holders.clear();
    }
}
