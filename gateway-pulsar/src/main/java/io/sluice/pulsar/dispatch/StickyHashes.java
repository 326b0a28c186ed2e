package io.sluice.pulsar.dispatch;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Each consumer names the ranges of hashes it wants; they must not overlap. A hash that none names waits. */
final class StickyHashes implements KeyRouting {
    private record Owned(HashRange range, Consumer owner) {}

    private final TreeMap<Integer, Owned> byStart = new TreeMap<>();

    @Override
    public @Nullable String add(Consumer consumer) {
        if (consumer.identity().ranges().isEmpty()) {
            return "a sticky Key_Shared consumer must name its hash ranges";
        }
        for (HashRange r : consumer.identity().ranges()) {
            if (r.start() < 0 || r.end() < r.start()) {
                remove(consumer);
                return "hash range [" + r.start() + ", " + r.end() + "] is empty or negative";
            }
            Map.Entry<Integer, Owned> before = byStart.floorEntry(r.end());
            if (before != null && before.getValue().range().end() >= r.start()) {
                remove(consumer);
                return "hash range [" + r.start() + ", " + r.end() + "] overlaps that of consumer "
                        + before.getValue().owner().name();
            }
            byStart.put(r.start(), new Owned(r, consumer));
        }
        return null;
    }

    @Override
    public void remove(Consumer consumer) {
        byStart.values().removeIf(o -> o.owner() == consumer);
    }

    @Override
    public List<HashRange> rangesOf(Consumer consumer) {
        return consumer.identity().ranges();
    }

    @Override
    public @Nullable Consumer select(int hash) {
        Map.Entry<Integer, Owned> at = byStart.floorEntry(hash);
        return at != null && at.getValue().range().end() >= hash ? at.getValue().owner() : null;
    }
}
