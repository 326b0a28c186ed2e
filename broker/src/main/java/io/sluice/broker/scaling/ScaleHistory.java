package io.sluice.broker.scaling;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Observations of a topic's ranges that later rounds need, splits and merges by people included. All times in
 * milliseconds of the one clock of the decision.
 *
 * @param spans ranges of the topic at the last round
 * @param changed time of each range's creation or last split; initial ranges are absent
 * @param over since when a range is above its target
 * @param cold since when a range is below its target
 * @param refused time of the last refusal, by the range to split or the range that a merge would make
 * @param splits those that no merge has undone
 * @param lastSplit time of the topic's last split
 * @param lastMerge time of its last merge
 */
public record ScaleHistory(
        List<IndexRange> spans,
        Map<IndexRange, Long> changed,
        Map<IndexRange, Long> over,
        Map<IndexRange, Long> cold,
        Map<IndexRange, Long> refused,
        List<PastSplit> splits,
        long lastSplit,
        long lastMerge) {
    private static final long NEVER = Long.MIN_VALUE / 2;

    /** Twice as many as lead to 64 ranges. */
    private static final int MOST_SPLITS = 128;

    public static final ScaleHistory NONE =
            new ScaleHistory(List.of(), Map.of(), Map.of(), Map.of(), Map.of(), List.of(), NEVER, NEVER);

    public ScaleHistory {
        spans = List.copyOf(spans);
        changed = Map.copyOf(changed);
        over = Map.copyOf(over);
        cold = Map.copyOf(cold);
        refused = Map.copyOf(refused);
        splits = List.copyOf(splits);
    }

    /** @param at when it was seen */
    record PastSplit(IndexRange span, long at) {}

    /** With what is there now. */
    ScaleHistory at(List<RangeLoad> ranges, ScaleTargets targets, long now) {
        List<IndexRange> there = ranges.stream().map(RangeLoad::span).toList();
        List<IndexRange> made = spans.isEmpty()
                ? List.of()
                : there.stream().filter(span -> !spans.contains(span)).toList();
        Map<IndexRange, Long> changes = new HashMap<>(changed);
        made.forEach(span -> changes.put(span, now));
        changes.keySet().retainAll(there);
        List<PastSplit> parents = parents(made, now);
        boolean merged = made.stream()
                .anyMatch(span ->
                        spans.stream().filter(old -> old.isStrictlyWithin(span)).count() > 1);
        return new ScaleHistory(
                there,
                changes,
                since(over, ranges, range -> range.flow().of(targets.split()) > 1, now),
                since(cold, ranges, range -> range.flow().isBelow(targets.merge()), now),
                stillRefused(there),
                kept(parents, there),
                parents.isEmpty() ? lastSplit : now,
                merged ? now : lastMerge);
    }

    private List<PastSplit> parents(Collection<IndexRange> made, long now) {
        return spans.stream()
                .filter(old -> made.stream().anyMatch(span -> span.isStrictlyWithin(old)))
                .map(old -> new PastSplit(old, now))
                .toList();
    }

    private List<PastSplit> kept(List<PastSplit> more, List<IndexRange> there) {
        List<PastSplit> all = new ArrayList<>(splits);
        all.removeIf(old -> more.stream().anyMatch(again -> again.span().equals(old.span())));
        all.addAll(more);
        all.removeIf(past -> there.stream().noneMatch(span -> span.isStrictlyWithin(past.span())));
        return all.subList(Math.max(0, all.size() - MOST_SPLITS), all.size());
    }

    private Map<IndexRange, Long> stillRefused(List<IndexRange> there) {
        Map<IndexRange, Long> still = new HashMap<>(refused);
        still.keySet()
                .removeIf(span -> !there.contains(span)
                        && there.stream()
                                .noneMatch(lower -> lower.start() == span.start()
                                        && there.stream()
                                                .anyMatch(upper -> lower.isBefore(upper)
                                                        && lower.with(upper).equals(span))));
        return still;
    }

    /** The step cannot be made as things are. */
    ScaleHistory withRefused(ScaleStep step, long now) {
        Map<IndexRange, Long> more = new HashMap<>(refused);
        more.put(step.span(), now);
        return new ScaleHistory(spans, changed, over, cold, more, splits, lastSplit, lastMerge);
    }

    private static Map<IndexRange, Long> since(
            Map<IndexRange, Long> before, List<RangeLoad> ranges, Predicate<RangeLoad> holds, long now) {
        return ranges.stream()
                .filter(holds)
                .map(RangeLoad::span)
                .collect(Collectors.toMap(span -> span, span -> before.getOrDefault(span, now)));
    }

    /** A step that fails is not tried again at once. */
    ScaleHistory with(List<ScaleStep> steps, long now) {
        if (steps.isEmpty()) {
            return this;
        }
        Map<IndexRange, Long> tried = new HashMap<>(changed);
        boolean merges = false;
        for (ScaleStep step : steps) {
            switch (step) {
                case ScaleStep.Split split -> tried.put(split.span(), now);
                case ScaleStep.Merge merge -> merges = true;
            }
        }
        return new ScaleHistory(spans, tried, over, cold, refused, splits, lastSplit, merges ? now : lastMerge);
    }
}
