package io.sluice.tiering;

import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.store.container.Tasks;
import io.sluice.store.tier.Tier;
import io.sluice.store.tier.TierFactory;
import io.sluice.store.tier.TierHost;
import io.sluice.tiering.objectstore.ObjectStore;
import io.sluice.tiering.task.Completions;
import io.sluice.tiering.task.Surroundings;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;

/** Gives every container a tier in one object store, which the caller closes after the last container stopped. */
public final class ObjectTierFactory implements TierFactory {
    private final ObjectStore store;
    private final Tasks tasks;
    private final TieringConfig config;
    private final long seed;
    private final Semaphore merges;

    /** {@code seed} decides the jitter of retries, together with container and term. */
    public ObjectTierFactory(ObjectStore store, Tasks tasks, TieringConfig config, long seed) {
        this.store = store;
        this.tasks = tasks;
        this.config = config;
        this.seed = seed;
        this.merges = new Semaphore(config.merge().jobs());
    }

    @Override
    public Tier open(TierHost host) {
        SplittableRandom random = new SplittableRandom(seed ^ (host.term() << 16) ^ host.container());
        Completions completions = new Completions(host);
        return new ObjectTier(
                new Surroundings(host, store, tasks, completions, random, PooledByteBufAllocator.DEFAULT),
                config,
                merges);
    }
}
