package io.sluice.store.container;

import io.sluice.store.cache.StreamingCache;
import io.sluice.store.segment.SegmentRiderFactory;
import io.sluice.store.tier.TierFactory;
import io.sluice.store.wal.WalStore;

/**
 * Components of a container.
 *
 * @param ends of what a log that defers the sync has acknowledged; one term after the other uses it
 * @param cache this container's own: no other may use it at the same time; the caller closes it after the container is done
 */
public record ContainerParts(
        WalStore wal,
        StreamingCache cache,
        SegmentRiderFactory riders,
        TierFactory tier,
        Tasks tasks,
        AcknowledgedEnds ends) {
    /** Components of a container whose log acknowledges after the sync. */
    public ContainerParts(
            WalStore wal, StreamingCache cache, SegmentRiderFactory riders, TierFactory tier, Tasks tasks) {
        this(wal, cache, riders, tier, tasks, AcknowledgedEnds.NONE);
    }
}
