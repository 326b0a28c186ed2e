package io.sluice.broker.log.state;

import java.util.LinkedHashMap;

/** Bounds a map that is ordered by use, eldest first. */
final class EldestEviction {
    private EldestEviction() {}

    static void evict(LinkedHashMap<Long, ?> byUse, int bound) {
        while (byUse.size() > bound) {
            byUse.pollFirstEntry();
        }
    }
}
