package io.sluice.tiering.merge;

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
final class MergePlan {
    private MergePlan() {}

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
    static @Nullable Run choose(MergePolicy policy, List<TierRange> manifest, LongToIntFunction generation) {
        for (int from = 0; from <= manifest.size() - fewest(policy); ) {
            int to = endOfKind(policy, manifest, from, generation);
            if (worthMerging(policy, manifest, from, to)) {
                // no more than fanIn, so that the runs of neighbouring segments go on coming from the same objects
                int fits = Math.min(to, from + policy.fanIn());
                while (bytes(manifest, from, fits) > policy.objectBytes()) {
                    fits--;
                }
                return new Run(
                        List.copyOf(manifest.subList(from, fits)),
                        generation.applyAsInt(manifest.get(from).object()));
            }
            from = Math.max(to, from + 1);
        }
        return null;
    }

    /** Bytes of a manifest that are worth a merge: what {@link #choose} takes is a part of it. */
    static long waitingBytes(MergePolicy policy, List<TierRange> manifest, LongToIntFunction generation) {
        long waiting = 0;
        for (int from = 0; from <= manifest.size() - fewest(policy); ) {
            int to = endOfKind(policy, manifest, from, generation);
            waiting += worthMerging(policy, manifest, from, to) ? bytes(manifest, from, to) : 0;
            from = Math.max(to, from + 1);
        }
        return waiting;
    }

    /** Each range has less than largeBytes, so that fewer than these are neither many nor much. */
    private static int fewest(MergePolicy policy) {
        return Math.min(policy.fanIn(), policy.objectBytes() / policy.largeBytes() + 1);
    }

    private static boolean worthMerging(MergePolicy policy, List<TierRange> manifest, int from, int to) {
        return to - from >= policy.fanIn() || bytes(manifest, from, to) >= policy.objectBytes();
    }

    private static long bytes(List<TierRange> manifest, int from, int to) {
        return from == to ? 0 : manifest.get(to - 1).end() - manifest.get(from).position();
    }

    /** The first range from there on that is not of its kind, which is {@code from} itself if it is not to be merged. */
    private static int endOfKind(MergePolicy policy, List<TierRange> manifest, int from, LongToIntFunction generation) {
        int kind = generation.applyAsInt(manifest.get(from).object());
        int to = from;
        while (to < manifest.size() && mergeable(policy, manifest.get(to), kind, generation)) {
            to++;
        }
        return to;
    }

    private static boolean mergeable(MergePolicy policy, TierRange range, int kind, LongToIntFunction generation) {
        return range.length() < policy.largeBytes()
                && kind < policy.rewrites()
                && generation.applyAsInt(range.object()) == kind;
    }
}
