package io.sluice.broker.log.state;

import java.util.LinkedHashMap;

/** Bounds a map that is ordered by use, eldest first. */
final class Eldest {
    private Eldest() {}

    static void drop(LinkedHashMap<Long, ?> byUse, int bound) {
        while (byUse.size() > bound) {
            byUse.pollFirstEntry();
        }
    }
}
