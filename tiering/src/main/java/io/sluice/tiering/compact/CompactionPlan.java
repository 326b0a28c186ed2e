package io.sluice.tiering.compact;

import io.sluice.store.tier.TierRange;
import java.util.List;
import java.util.function.LongToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Chooses what of a segment to merge. Pure.
 *
 * <pre>
 *   rewrites  2 ██████ │ 1 ▓▓ ▓▓ ▓▓ │ 0 ░ ░ ░ ░ ░ ░ ░      fanIn 4: ░ ░ ░ ░ ░ ░ ░ become one ▓▓
 * </pre>
 */
final class CompactionPlan {
    private CompactionPlan() {}

    /**
     * Neighbours to merge.
     *
     * @param sources two or more, each going on where the one before ends, all of one segment
     * @param generation how often the bytes were rewritten before
     */
    record Run(List<TierRange> sources, int generation) {
        long segment() {
            return sources.getFirst().segment();
        }

        long bytes() {
            return sources.getLast().end() - sources.getFirst().position();
        }
    }

    /** The first run of a manifest that is worth a merge, or null. */
    static @Nullable Run choose(CompactPolicy policy, List<TierRange> manifest, LongToIntFunction generation) {
        // Each has less than largeBytes, so that fewer are neither many nor much.
        int least = Math.min(policy.fanIn(), policy.objectBytes() / policy.largeBytes() + 1);
        for (int from = 0; from <= manifest.size() - least; ) {
            int kind = generation.applyAsInt(manifest.get(from).object());
            int to = from;
            long bytes = 0;
            int fits = from;
            while (to < manifest.size() && mergeable(policy, manifest.get(to), kind, generation)) {
                bytes += manifest.get(to).length();
                to++;
                fits = bytes <= policy.objectBytes() ? to : fits;
            }
            if (to - from >= policy.fanIn() || bytes >= policy.objectBytes()) {
                // no more than fanIn, so that the runs of neighbouring segments go on coming from the same objects
                fits = Math.min(fits, from + policy.fanIn());
                return new Run(List.copyOf(manifest.subList(from, fits)), kind);
            }
            from = Math.max(to, from + 1);
        }
        return null;
    }

    private static boolean mergeable(CompactPolicy policy, TierRange range, int kind, LongToIntFunction generation) {
        return range.length() < policy.largeBytes()
                && kind < policy.rewrites()
                && generation.applyAsInt(range.object()) == kind;
    }
}
