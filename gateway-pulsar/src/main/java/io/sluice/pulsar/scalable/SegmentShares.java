package io.sluice.pulsar.scalable;

import io.sluice.broker.scalable.ScalableSegment;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Assignment of a subscription's segments to consumers. Pure. */
final class SegmentShares {
    private SegmentShares() {}

    /**
     * Shares {@code open} out evenly, numbers differing by one at most, with as few changes as that takes. What is taken from
     * one consumer goes to another only when the first has let go of it: until then none has it.
     *
     * @param open segments by range
     * @param consumers by name
     * @param held who had what
     * @param attached consumer that reads a segment now, whether or not it should; null for none
     * @return who has what from now on, by segment
     */
    static Map<Long, String> next(
            Collection<ScalableSegment> open,
            SortedSet<String> consumers,
            Map<Long, String> held,
            Map<Long, @Nullable String> attached) {
        Map<String, List<Long>> has = new HashMap<>();
        consumers.forEach(c -> has.put(c, new ArrayList<>()));
        for (ScalableSegment s : open) {
            String holder = held.get(s.id());
            String reader = attached.get(s.id());
            List<Long> its = holder == null ? null : has.get(holder);
            if (its != null && (reader == null || reader.equals(holder))) {
                its.add(s.id());
            }
        }
        Map<Long, String> next = new TreeMap<>();
        if (consumers.isEmpty()) {
            return next;
        }
        Map<String, Integer> quota = quotas(open.size(), consumers, has);
        has.forEach((consumer, its) -> {
            int most = quota.getOrDefault(consumer, 0);
            its.subList(Math.min(most, its.size()), its.size()).clear();
            its.forEach(id -> next.put(id, consumer));
        });
        for (ScalableSegment s : open) {
            if (next.containsKey(s.id())) {
                continue;
            }
            String reader = attached.get(s.id());
            String to = reader == null ? emptiest(consumers, has, quota) : reader;
            // still with a consumer that lost it just now, or whose client has not said yet that it lets go
            boolean leaves = reader == null && held.containsKey(s.id()) && consumers.contains(held.get(s.id()));
            List<Long> its = to == null || leaves ? null : has.get(to);
            if (to != null && its != null && its.size() < quota.getOrDefault(to, 0)) {
                its.add(s.id());
                next.put(s.id(), to);
            }
        }
        return next;
    }

    /** One more for those who have most, so that they keep it. */
    private static Map<String, Integer> quotas(int open, SortedSet<String> consumers, Map<String, List<Long>> has) {
        List<String> byLoad = new ArrayList<>(consumers);
        byLoad.sort(Comparator.comparingInt((String c) -> -size(has, c)).thenComparing(Comparator.naturalOrder()));
        Map<String, Integer> quota = new HashMap<>();
        for (int i = 0; i < byLoad.size(); i++) {
            quota.put(byLoad.get(i), open / byLoad.size() + (i < open % byLoad.size() ? 1 : 0));
        }
        return quota;
    }

    private static @Nullable String emptiest(
            SortedSet<String> consumers, Map<String, List<Long>> has, Map<String, Integer> quota) {
        return consumers.stream()
                .filter(c -> size(has, c) < quota.getOrDefault(c, 0))
                .min(Comparator.comparingInt((String c) -> size(has, c)).thenComparing(Comparator.naturalOrder()))
                .orElse(null);
    }

    private static int size(Map<String, List<Long>> has, String consumer) {
        List<Long> its = has.get(consumer);
        return its == null ? 0 : its.size();
    }
}
