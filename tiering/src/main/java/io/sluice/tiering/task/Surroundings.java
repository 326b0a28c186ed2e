package io.sluice.tiering.task;

import io.netty.buffer.ByteBufAllocator;
import io.sluice.store.container.Tasks;
import io.sluice.store.tier.TierHost;
import io.sluice.tiering.objectstore.ObjectStore;
import java.util.random.RandomGenerator;

/**
 * Common context of all parts of one container's tier.
 *
 * @param host loop only, but for {@link TierHost#post}
 * @param store off the loop only
 * @param random loop only
 */
public record Surroundings(
        TierHost host,
        ObjectStore store,
        Tasks tasks,
        Completions completions,
        RandomGenerator random,
        ByteBufAllocator allocator) {}
