package io.sluice.store.read;

import io.sluice.store.tier.TierRange;

/** Steps of one read. */
public sealed interface ReadPlan {
    /** {@code bytes} from {@code position} are in the cache. */
    record FromCache(long position, int bytes) implements ReadPlan {}

    /**
     * Read {@code bytes} from {@code position}, which lies in {@code range}: none are in the cache. May be more than was asked
     * for, to be cached for the reads that follow, and more than the range has; answer with what was asked.
     */
    record FromTier(TierRange range, long position, int bytes) implements ReadPlan {}

    /** Readable positions are {@code [start, end)} and the read begins outside. */
    record OutOfRange(long start, long end) implements ReadPlan {}
}
