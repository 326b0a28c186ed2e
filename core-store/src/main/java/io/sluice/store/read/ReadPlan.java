package io.sluice.store.read;

import io.sluice.store.tier.TierRange;

/** What to do for one read. */
public sealed interface ReadPlan {
    /** {@code bytes} from {@code position} are in the cache. */
    record FromCache(long position, int bytes) implements ReadPlan {}

    /**
     * Read {@code bytes} from {@code position} of {@code range}: all lie in it, none in the cache. May be more than was
     * asked for, to be cached for the reads that follow; answer with what was asked.
     */
    record FromTier(TierRange range, long position, int bytes) implements ReadPlan {}

    /** Readable positions are {@code [start, end)} and the read begins outside. */
    record OutOfRange(long start, long end) implements ReadPlan {}
}
