package io.sluice.store.sim;

import io.sluice.store.cache.CacheConfig;
import io.sluice.store.cache.StreamingCache;
import io.sluice.store.container.Container;
import io.sluice.store.container.ContainerConfig;
import io.sluice.store.container.ContainerListener;
import io.sluice.store.container.ContainerParts;
import io.sluice.store.container.Inside;
import io.sluice.store.state.ContainerState;

/** A process that owns, or believes it owns, the container. */
public final class SimOwner implements ContainerListener {
    private final SimWorld world;
    private final StreamingCache cache =
            new StreamingCache(new CacheConfig(SimWorld.CACHE_BYTES, SimWorld.MOST_CACHE_BYTES));
    private final Container container;
    private SimModel model = new SimModel();
    private boolean serving;
    private boolean crashed;
    private boolean buried;
    private boolean stopped;

    SimOwner(SimWorld world, ContainerConfig config) {
        this.world = world;
        ContainerParts parts = new ContainerParts(
                world.wal(),
                cache,
                world::rider,
                host -> world.tier(host, this),
                (name, task) -> world.task(this, name, task));
        this.container = new Container(SimWorld.CONTAINER, config, parts, this);
    }

    Container container() {
        return container;
    }

    ContainerState state() {
        return Inside.state(container);
    }

    SimModel model() {
        return model;
    }

    @Override
    public void serving(Container which) {
        SimModel known = world.served(this);
        if (known == null) {
            // its lease has run out, and who watches that closes it
            container.close();
        } else {
            serving = true;
            model = known;
        }
    }

    @Override
    public void stopped(Container which, String why) {
        stopped = true;
        if (Inside.failure(which) instanceof Error seen) {
            throw seen; // by a checker, on the container's loop
        }
        world.note("stopped", which.term());
    }

    /** Takes requests. */
    boolean serves() {
        return serving && !stopped && !crashed;
    }

    /** May still come to serve, or does. */
    boolean alive() {
        return !stopped && !crashed;
    }

    boolean crashed() {
        return crashed;
    }

    /** The process is gone: from here on nothing it does is seen by anybody. */
    void crash() {
        crashed = true;
    }

    /** The log is in other hands: the crashed process' memory may be cleared up. */
    void bury() {
        if (crashed) {
            buried = true;
            container.close();
        }
    }

    void doWork(long now) {
        if (!crashed || buried) {
            container.doWork(now);
        }
    }

    @Override
    public String toString() {
        String how = crashed ? "crashed" : stopped ? "stopped" : serving ? "serving" : "recovering";
        return "owner in term " + container.term() + ", " + how;
    }

    boolean finished() {
        return container.finished();
    }

    void release() {
        cache.close();
    }
}
