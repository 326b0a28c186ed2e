package io.sluice.pulsar.replication.subscription;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Snapshots that subscriptions of a partition are still to reach, few of many: where there are too many, those that lie closest together become
 * fewer, so that a subscription far behind finds some all the way. Pure.
 */
final class SnapshotCache {
    private final int most;
    private final TreeMap<Long, Snapshot> byEnd = new TreeMap<>();

    /** @param most at least 3 */
    SnapshotCache(int most) {
        if (most < 3) {
            throw new IllegalArgumentException("a cache of " + most + " snapshots");
        }
        this.most = most;
    }

    /** Adds it; of two with the same end the one with places further on counts. */
    void add(Snapshot snapshot) {
        byEnd.merge(snapshot.end(), snapshot, (known, added) -> added.isBeyond(known) ? added : known);
        if (byEnd.size() > most) {
            byEnd.remove(closest());
        }
    }

    /** End of the snapshot whose neighbours would be the least apart without it; never the first or the last. */
    private long closest() {
        long before = -1;
        long at = -1;
        long least = Long.MAX_VALUE;
        long closest = -1;
        for (long next : byEnd.keySet()) {
            if (before >= 0 && next - before < least) {
                least = next - before;
                closest = at;
            }
            before = at;
            at = next;
        }
        return closest;
    }

    /** The last snapshot that a subscription has reached; null if there is none. */
    @Nullable
    Snapshot reached(long ackedBelow) {
        Map.Entry<Long, Snapshot> entry = byEnd.floorEntry(ackedBelow);
        return entry == null ? null : entry.getValue();
    }

    /** Drops those that end before {@code end}. */
    void forgetBelow(long end) {
        byEnd.headMap(end).clear();
    }

    void clear() {
        byEnd.clear();
    }

    int size() {
        return byEnd.size();
    }
}
