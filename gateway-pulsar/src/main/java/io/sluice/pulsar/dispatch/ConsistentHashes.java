package io.sluice.pulsar.dispatch;

import io.sluice.pulsar.format.StoredEntry;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Auto-split: consumers own the hashes before their points on a ring, so one that comes or goes moves few keys. */
final class ConsistentHashes implements KeyRouting {
    private static final int POINTS = 100;
    private static final int FIRST_HASH = 1;

    private final TreeMap<Integer, List<Consumer>> ring = new TreeMap<>();

    @Override
    public @Nullable String add(Consumer consumer) {
        for (int i = 0; i < POINTS; i++) {
            ring.computeIfAbsent(point(consumer, i), h -> new ArrayList<>(1)).add(consumer);
        }
        return null;
    }

    @Override
    public void remove(Consumer consumer) {
        for (int i = 0; i < POINTS; i++) {
            ring.computeIfPresent(point(consumer, i), (h, at) -> {
                at.remove(consumer);
                return at.isEmpty() ? null : at;
            });
        }
    }

    private static int point(Consumer consumer, int i) {
        return StoredEntry.hash((consumer.name() + ' ' + i).getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public List<HashRange> rangesOf(Consumer consumer) {
        List<HashRange> ranges = new ArrayList<>();
        int start = FIRST_HASH;
        for (var point : ring.entrySet()) {
            if (point.getValue().contains(consumer)) {
                add(ranges, start, point.getKey());
            }
            start = point.getKey() + 1;
        }
        // the ring closes: what is after its last point belongs to the first
        if (!ring.isEmpty()
                && start <= StoredEntry.HASHES
                && ring.firstEntry().getValue().contains(consumer)) {
            add(ranges, start, StoredEntry.HASHES);
        }
        return ranges;
    }

    private static void add(List<HashRange> ranges, int start, int end) {
        boolean goesOn = !ranges.isEmpty() && ranges.getLast().end() == start - 1;
        ranges.add(new HashRange(goesOn ? ranges.removeLast().start() : start, end));
    }

    @Override
    public @Nullable Consumer select(int hash) {
        if (ring.isEmpty()) {
            return null;
        }
        var point = ring.ceilingEntry(hash);
        List<Consumer> at = (point == null ? ring.firstEntry() : point).getValue();
        // more than one only where names are equal: then the key decides
        return at.get(hash % at.size());
    }
}
