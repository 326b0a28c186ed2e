package io.sluice.bookie.journal;

import java.util.Map;
import java.util.TreeMap;

/** A set of entry numbers, which are mostly in a row. For one thread. */
final class EntryRanges {
    /** First and last of each run; runs do not touch. */
    private final TreeMap<Long, Long> runs = new TreeMap<>();

    void add(long entry) {
        if (has(entry)) {
            return;
        }
        Map.Entry<Long, Long> below = runs.floorEntry(entry);
        long first = below != null && below.getValue() == entry - 1 ? below.getKey() : entry;
        Long lastOfNext = runs.remove(entry + 1);
        runs.put(first, lastOfNext == null ? entry : lastOfNext);
    }

    boolean has(long entry) {
        Map.Entry<Long, Long> run = runs.floorEntry(entry);
        return run != null && entry <= run.getValue();
    }
}
