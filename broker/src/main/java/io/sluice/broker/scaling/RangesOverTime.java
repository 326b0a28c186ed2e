package io.sluice.broker.scaling;

import io.sluice.broker.scaling.KeepTopicsScaled.Range;
import java.util.ArrayList;
import java.util.List;

/** Which ranges a topic has had and where, as rounds have seen them; the oldest of those that are gone are forgotten. One thread. */
final class RangesOverTime {
    static final int MOST_GONE = 256;

    private List<RangeLife> all = List.of();

    /** Records the ranges that exist now; all others are gone. */
    void seen(List<Range> ranges, long now) {
        List<RangeLife> gone = new ArrayList<>();
        List<RangeLife> there = new ArrayList<>();
        for (RangeLife life : all) {
            boolean stays = life.to() == RangeLife.STILL_THERE;
            if (stays && ranges.stream().noneMatch(range -> isOf(life, range))) {
                gone.add(new RangeLife(life.span(), life.container(), life.from(), now));
            } else {
                (stays ? there : gone).add(life);
            }
        }
        boolean changed = there.size()
                != all.stream()
                        .filter(life -> life.to() == RangeLife.STILL_THERE)
                        .count();
        for (Range range : ranges) {
            if (there.stream().noneMatch(life -> isOf(life, range))) {
                there.add(new RangeLife(range.span(), range.container(), now, RangeLife.STILL_THERE));
                changed = true;
            }
        }
        if (changed) {
            List<RangeLife> kept = new ArrayList<>(gone.subList(Math.max(0, gone.size() - MOST_GONE), gone.size()));
            kept.addAll(there);
            all = List.copyOf(kept);
        }
    }

    private static boolean isOf(RangeLife life, Range range) {
        return life.span().equals(range.span()) && life.container() == range.container();
    }

    /** Ranges that are gone, in the order in which they went, then the existing ones. Immutable. */
    List<RangeLife> all() {
        return all;
    }
}
