package io.sluice.broker.scaling;

import io.sluice.broker.scaling.ScaleHistory.PastSplit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides which ranges of a topic split and merge. Pure.
 *
 * <pre>
 *   of a range's limit
 *     1     ─ ─ ─ ─ ─ ─   above it for 10 s: splits
 *     0.1   ─ ─ ─ ─ ─ ─   below it for 5 min, as its neighbour is: they merge
 * </pre>
 *
 * <p>Two that are below a tenth are below a fifth together, so what has merged does not split at once. Where a split leaves nearly
 * all with one of the two, as with one hot key, a third and further ones would not help either: they come once an hour.
 */
public class ScalePolicy {
    /** Splits, or merges, of one topic in one round. */
    static final int STEPS = 16;

    private static final long OVER_MILLIS = 10_000;

    /** A split has helped if neither of the two has more than this of it. */
    private static final double HELPS = 0.8;

    /** Neighbours merge below this fraction of the load at which they would be split. */
    private static final double ROOM = 0.5;

    private static final int VAIN_SPLITS = 3;
    private static final long VAIN_MILLIS = 3_600_000;

    /** Time after which a refused step is tried again: its cause may be gone. */
    private static final long REFUSED_MILLIS = 3_600_000;

    /** @param history to be given to the next round */
    public record Decision(List<ScaleStep> steps, ScaleHistory history) {}

    /**
     * @param ranges of one topic, in order and without gaps
     * @param before the topic's history of the round before
     * @param now milliseconds; never less than before
     */
    public Decision decide(List<RangeLoad> ranges, ScaleTargets targets, ScaleHistory before, long now) {
        if (!targets.enabled()) {
            return new Decision(List.of(), ScaleHistory.NONE);
        }
        ScaleHistory history = before.at(ranges, targets, now);
        List<ScaleStep> steps = new ArrayList<>(splits(ranges, targets, history, now));
        if (steps.isEmpty()) {
            steps.addAll(merges(ranges, targets, history, now));
        }
        return new Decision(steps, history.with(steps, now));
    }

    private List<ScaleStep> splits(List<RangeLoad> ranges, ScaleTargets targets, ScaleHistory history, long now) {
        int room = Math.min(STEPS, targets.most() - ranges.size());
        List<ScaleStep> steps = new ArrayList<>();
        ranges.stream()
                .filter(range -> isOver(range, history, now))
                .filter(range -> hasRested(range.span(), targets, history, now))
                .filter(range -> !isRefused(range.span(), history, now))
                .sorted(Comparator.comparingDouble(range -> -range.flow().of(targets.split())))
                .forEach(range -> {
                    int at = steps.size() < room ? border(range, ranges, targets, history, now) : -1;
                    if (at >= 0) {
                        steps.add(new ScaleStep.Split(
                                range.span(), at, range.flow().describe(targets.split()) + ": more than it may do"));
                    }
                });
        return steps;
    }

    boolean isOver(RangeLoad range, ScaleHistory history, long now) {
        Long since = history.over().get(range.span());
        return since != null && now - since >= OVER_MILLIS;
    }

    boolean hasRested(IndexRange span, ScaleTargets targets, ScaleHistory history, long now) {
        Long changed = history.changed().get(span);
        return changed == null || now - changed >= targets.splitMillis();
    }

    boolean isRefused(IndexRange span, ScaleHistory history, long now) {
        Long at = history.refused().get(span);
        return at != null && now - at < REFUSED_MILLIS;
    }

    /** Where the range is to be split; -1 if that would not help. */
    private int border(RangeLoad range, List<RangeLoad> all, ScaleTargets targets, ScaleHistory history, long now) {
        IndexRange span = range.span();
        if (span.size() < 2) {
            return -1;
        }
        if (!range.parts().isEmpty()) {
            return borderByParts(range, targets);
        }
        return isVain(range, all, targets, history, now) ? -1 : span.middle();
    }

    int borderByParts(RangeLoad range, ScaleTargets targets) {
        Flow lower = Flow.NONE;
        int best = -1;
        double least = HELPS * range.flow().of(targets.split());
        for (int i = 1; i < range.parts().size(); i++) {
            lower = lower.plus(range.parts().get(i - 1));
            Flow upper = range.flow().plus(lower.times(-1));
            double larger = Math.max(lower.of(targets.split()), upper.of(targets.split()));
            if (larger < least) {
                least = larger;
                best = range.span().start() + i;
            }
        }
        return best;
    }

    /** Whether the last splits around this range have left nearly all with it. */
    boolean isVain(RangeLoad range, List<RangeLoad> all, ScaleTargets targets, ScaleHistory history, long now) {
        List<PastSplit> around = history.splits().stream()
                .filter(past -> range.span().isStrictlyWithin(past.span()))
                .sorted(Comparator.comparingInt(past -> past.span().size()))
                .toList();
        int vain = 0;
        for (PastSplit past : around) {
            double whole = all.stream()
                    .filter(each -> each.span().isStrictlyWithin(past.span()))
                    .map(RangeLoad::flow)
                    .reduce(Flow.NONE, Flow::plus)
                    .of(targets.split());
            if (range.flow().of(targets.split()) <= HELPS * whole) {
                break;
            }
            vain++;
        }
        return vain >= VAIN_SPLITS && now - around.getFirst().at() < VAIN_MILLIS;
    }

    private List<ScaleStep> merges(List<RangeLoad> ranges, ScaleTargets targets, ScaleHistory history, long now) {
        int room = Math.min(STEPS, ranges.size() - targets.fewest());
        if (room <= 0
                || now - history.lastSplit() < targets.mergeMillis()
                || now - history.lastMerge() < targets.mergeMillis()) {
            return List.of();
        }
        List<Pair> pairs = new ArrayList<>();
        for (int i = 0; i + 1 < ranges.size(); i++) {
            Pair pair = pair(ranges.get(i), ranges.get(i + 1), targets, history, now);
            if (pair != null) {
                pairs.add(pair);
            }
        }
        pairs.sort(Comparator.comparingDouble(Pair::used));
        Set<IndexRange> taken = new HashSet<>();
        List<ScaleStep> steps = new ArrayList<>();
        for (Pair pair : pairs) {
            if (steps.size() < room && !taken.contains(pair.lower) && !taken.contains(pair.upper)) {
                taken.add(pair.lower);
                taken.add(pair.upper);
                steps.add(new ScaleStep.Merge(pair.lower, pair.upper, pair.reason));
            }
        }
        return steps;
    }

    /** @param used part of what one range may do */
    private record Pair(IndexRange lower, IndexRange upper, double used, String reason) {}

    private @Nullable Pair pair(
            RangeLoad lower, RangeLoad upper, ScaleTargets targets, ScaleHistory history, long now) {
        Flow both = lower.flow().plus(upper.flow());
        double used = both.of(targets.split());
        if (!isCold(lower, targets, history, now)
                || !isCold(upper, targets, history, now)
                || Math.max(lower.merges(), upper.merges()) >= targets.mergesDeep()
                || !hasRoom(both, targets)
                || isRefused(lower.span().with(upper.span()), history, now)) {
            return null;
        }
        String reason = both.describe(targets.split()) + " together, cold for " + targets.coldMillis() / 1_000 + " s";
        return new Pair(lower.span(), upper.span(), used, reason);
    }

    boolean hasRoom(Flow both, ScaleTargets targets) {
        return both.of(targets.split()) <= ROOM;
    }

    boolean isCold(RangeLoad range, ScaleTargets targets, ScaleHistory history, long now) {
        Long since = history.cold().get(range.span());
        return since != null && now - since >= targets.coldMillis();
    }
}
