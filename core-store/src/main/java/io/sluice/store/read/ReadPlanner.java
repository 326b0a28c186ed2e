package io.sluice.store.read;

import io.sluice.store.segment.SegmentInfo;
import io.sluice.store.tier.TierRange;
import org.jspecify.annotations.Nullable;

/** Decides where a read is answered from. Pure. */
public final class ReadPlanner {
    private ReadPlanner() {}

    /**
     * @param maxBytes what the reader takes, at least 1
     * @param leastBytes of a read from the tier, where the range and the cache's gap are that long
     * @param cached from {@link ReadIndex#cached}: the range that holds {@code position} or the next above, or null
     * @param tier the manifest's range that holds {@code position}, or null
     * @throws IllegalStateException if a readable position is neither cached nor tiered: data would be lost
     */
    public static ReadPlan plan(
            SegmentInfo info,
            long position,
            int maxBytes,
            int leastBytes,
            @Nullable CachedRange cached,
            @Nullable TierRange tier) {
        if (maxBytes < 1) {
            throw new IllegalArgumentException("maxBytes must be at least 1: " + maxBytes);
        }
        long end = info.durableLength();
        if (position < info.start() || position >= end) {
            return new ReadPlan.OutOfRange(info.start(), end);
        }
        if (cached != null && cached.from() <= position && position < cached.to()) {
            return new ReadPlan.FromCache(position, least(maxBytes, end - position, cached.to() - position));
        }
        if (tier == null || position < tier.position() || position >= tier.end()) {
            throw new IllegalStateException(
                    "segment " + info.segment() + " has neither cache nor tier for position " + position + ": " + info);
        }
        long gapEnd = cached != null && cached.from() > position ? cached.from() : Long.MAX_VALUE;
        long wanted = Math.max(maxBytes, Math.min(leastBytes, tier.end() - position));
        return new ReadPlan.FromTier(tier, position, (int) Math.min(wanted, Math.min(end, gapEnd) - position));
    }

    private static int least(int a, long b, long c) {
        return (int) Math.min(a, Math.min(b, c));
    }
}
