package io.sluice.broker.subscription;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.Packed;
import io.sluice.broker.subscription.ShareCursor.Delivered;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** How often ranges of a share group's records were delivered. They lie among those that the group may have in hand, which bounds them. */
final class DeliveryCounts {
    private final TreeMap<Long, Delivered> byFirst = new TreeMap<>();

    boolean isEmpty() {
        return byFirst.isEmpty();
    }

    List<Delivered> all() {
        return List.copyOf(byFirst.values());
    }

    /** Takes the place of what it overlaps. */
    void set(Delivered range) {
        cut(range.from(), range.to());
        byFirst.put(range.from(), range);
    }

    /** Forgets a range. */
    private void cut(long from, long to) {
        Map.Entry<Long, Delivered> before = byFirst.lowerEntry(from);
        if (before != null && before.getValue().to() >= from) {
            Delivered cut = before.getValue();
            byFirst.put(cut.from(), new Delivered(cut.from(), from - 1, cut.count()));
            putRest(cut, to);
        }
        List<Delivered> within = new ArrayList<>(byFirst.subMap(from, to + 1).values());
        for (Delivered each : within) {
            byFirst.remove(each.from());
            putRest(each, to);
        }
    }

    private void putRest(Delivered cut, long to) {
        if (cut.to() > to) {
            byFirst.put(to + 1, new Delivered(to + 1, cut.to(), cut.count()));
        }
    }

    void removeBelow(long offset) {
        if (!byFirst.isEmpty() && byFirst.firstKey() < offset) {
            cut(byFirst.firstKey(), offset - 1);
        }
    }

    void clear() {
        byFirst.clear();
    }

    static void write(Collection<Delivered> ranges, ByteBuf out) {
        Packed.writeUnsigned(out, ranges.size());
        for (Delivered each : ranges) {
            Packed.writeUnsigned(out, each.from());
            Packed.writeUnsigned(out, each.to() - each.from());
            Packed.writeUnsigned(out, each.count());
        }
    }

    void read(ByteBuf in) {
        for (int n = Packed.readCount(in); n > 0; n--) {
            long from = Packed.readUnsigned(in);
            long to = from + Packed.readUnsigned(in);
            set(new Delivered(from, to, Packed.readCount(in)));
        }
    }
}
