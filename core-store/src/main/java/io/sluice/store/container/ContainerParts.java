package io.sluice.store.container;

import io.sluice.store.cache.StreamingCache;
import io.sluice.store.segment.SegmentRiderFactory;
import io.sluice.store.tier.TierFactory;
import io.sluice.store.wal.WalStore;

/**
 * What a container is made of.
 *
 * @param cache this container's own: no other may use it at the same time; the caller closes it after the container is done
 */
public record ContainerParts(
        WalStore wal, StreamingCache cache, SegmentRiderFactory riders, TierFactory tier, Tasks tasks) {}
