package io.sluice.broker.log;

import java.util.Iterator;
import java.util.Map;

/** Bounds a map that is ordered by use, eldest first. */
final class Eldest {
    private Eldest() {}

    static void drop(Map<Long, ?> byUse, int bound) {
        for (Iterator<?> i = byUse.values().iterator(); byUse.size() > bound; ) {
            i.next();
            i.remove();
        }
    }
}
