package io.sluice.tiering;

import io.sluice.store.tier.TierRange;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** What a container's log means to its tier, rebuilt from any prefix of the log: the model that tests check against. */
final class ModelState {
    /** What the log holds. */
    sealed interface Op {
        record Append(long segment, int length, long at) implements Op {}

        record Truncate(long segment, long position) implements Op {}

        record Delete(long segment) implements Op {}

        record Intent(long object, long term) implements Op {}

        record Commit(long object, List<TierRange> ranges) implements Op {}

        record Merge(long object, List<TierRange> ranges) implements Op {}

        record Store(long object, TierRange range) implements Op {}

        record Collected(List<Long> objects) implements Op {}
    }

    /** One segment; {@code tiered} is the end of its last range. */
    static final class Seg {
        long start;
        long length;
        long durable;
        long tiered;
        long since;
        final List<TierRange> ranges = new ArrayList<>();
    }

    final Map<Long, Seg> segments = new TreeMap<>();
    final Map<Long, Long> intents = new TreeMap<>();
    final Set<Long> committed = new HashSet<>();
    private final Set<Long> deleted = new HashSet<>();

    /** The bytes that stand at {@code position} of {@code segment}, in every test. */
    static byte[] bytes(long segment, long position, int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            long mixed = (position + i + 1) * 0x9E3779B97F4A7C15L + segment * 0xC2B2AE3D27D4EB4FL;
            bytes[i] = (byte) (mixed >>> 56);
        }
        return bytes;
    }

    void apply(Op op) {
        switch (op) {
            case Op.Append append -> {
                if (!deleted.contains(append.segment())) {
                    segments.computeIfAbsent(append.segment(), id -> new Seg()).length += append.length();
                }
            }
            case Op.Truncate truncate -> truncate(truncate.segment(), truncate.position());
            case Op.Delete delete -> {
                segments.remove(delete.segment());
                deleted.add(delete.segment());
            }
            case Op.Intent intent -> intents.put(intent.object(), intent.term());
            case Op.Commit commit -> commit(commit);
            case Op.Merge merge -> merge(merge);
            case Op.Store store -> store(store);
            case Op.Collected collected -> {
                intents.keySet().removeAll(collected.objects());
                committed.removeAll(collected.objects());
            }
        }
    }

    /** The op at the log's durable end became durable. */
    void durable(Op op) {
        if (op instanceof Op.Append append) {
            Seg seg = segments.get(append.segment());
            if (seg != null) {
                if (seg.durable <= Math.max(seg.tiered, seg.start)) {
                    seg.since = append.at();
                }
                seg.durable += append.length();
            }
        }
    }

    private void truncate(long segment, long position) {
        Seg seg = segments.get(segment);
        if (seg != null && position > seg.start) {
            seg.start = position;
            seg.ranges.removeIf(range -> range.end() <= position);
        }
    }

    private void commit(Op.Commit commit) {
        if (intents.remove(commit.object()) == null) {
            throw new AssertionError("Commit without intent: " + commit.object());
        }
        committed.add(commit.object());
        for (TierRange range : commit.ranges()) {
            Seg seg = segments.get(range.segment());
            if (seg == null) {
                continue;
            }
            boolean continues = range.position() == seg.tiered || range.position() == seg.start;
            if (!continues && range.position() < seg.start && seg.tiered <= range.position()) {
                continues = true; // began at a start that has risen since
            }
            if (!continues) {
                throw new AssertionError(
                        "Gap: segment is tiered to " + seg.tiered + ", starts at " + seg.start + ", got " + range);
            }
            seg.tiered = range.end();
            if (range.end() > seg.start) {
                seg.ranges.add(range);
            }
        }
    }

    private void store(Op.Store store) {
        if (intents.remove(store.object()) == null) {
            throw new AssertionError("Stored without intent: " + store.object());
        }
        committed.add(store.object());
        Seg seg = segments.get(store.range().segment());
        if (seg != null) {
            if (store.range().position() != seg.length || seg.tiered != seg.length) {
                throw new AssertionError("Stored " + store.range() + " in a segment of " + seg.length + " bytes");
            }
            seg.length = store.range().end();
            seg.durable = seg.length;
            seg.tiered = seg.length;
            seg.ranges.add(store.range());
        }
    }

    private void merge(Op.Merge merge) {
        if (intents.remove(merge.object()) == null) {
            throw new AssertionError("Merge without intent: " + merge.object());
        }
        committed.add(merge.object());
        for (TierRange merged : merge.ranges()) {
            Seg seg = segments.get(merged.segment());
            if (seg == null || merged.end() <= seg.start) {
                continue;
            }
            List<TierRange> replaced = seg.ranges.stream()
                    .filter(range -> range.position() >= merged.position() && range.end() <= merged.end())
                    .toList();
            long from = replaced.isEmpty() ? -1 : replaced.getFirst().position();
            long to = replaced.isEmpty() ? -1 : replaced.getLast().end();
            if (to != merged.end() || (from != merged.position() && from > seg.start)) {
                throw new AssertionError("Merge into " + merged + " of " + replaced);
            }
            int at = seg.ranges.indexOf(replaced.getFirst());
            seg.ranges.removeAll(replaced);
            seg.ranges.add(at, merged);
        }
    }

    Set<Long> referenced() {
        Set<Long> objects = new HashSet<>();
        segments.values().forEach(seg -> seg.ranges.forEach(range -> objects.add(range.object())));
        return objects;
    }

    List<Long> garbage(long term) {
        Set<Long> garbage = new HashSet<>(committed);
        garbage.removeAll(referenced());
        intents.forEach((object, by) -> {
            if (by < term) {
                garbage.add(object);
            }
        });
        return new ArrayList<>(garbage);
    }
}
