package io.sluice.server.wiring;

import io.sluice.broker.balance.Strain;
import io.sluice.server.containers.ServedContainers;
import io.sluice.store.container.ContainerStats;
import io.sluice.store.pressure.Fill;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntFunction;

/** How much the loops and the stores of the containers have to do, since they were asked before. One thread at a time. */
final class ContainerStrains implements IntFunction<Strain> {
    /** Containers that share a loop are asked one after the other; a share of less time says little. */
    private static final long LEAST_NANOS = 50_000_000;

    private final ServedContainers containers;
    private final Map<Integer, Looked> loops = new HashMap<>();

    ContainerStrains(ServedContainers containers) {
        this.containers = containers;
    }

    /** A loop when it was last looked at. */
    private record Looked(long at, long rested, double busy) {}

    @Override
    public Strain apply(int container) {
        int loop = containers.loopOf(container);
        ContainerStats stats = containers.stats(container);
        if (stats == null) {
            return new Strain(loop, busy(loop), 0, 0);
        }
        Fill fill = stats.fill();
        return new Strain(
                loop, busy(loop), Math.min(1, fill.log()), Math.clamp(Math.max(fill.lag(), fill.cache()), 0, 1));
    }

    private double busy(int loop) {
        long now = System.nanoTime();
        long rested = containers.restedNanos(loop);
        Looked before = loops.get(loop);
        if (before == null) {
            loops.put(loop, new Looked(now, rested, 0));
            return 0;
        }
        if (now - before.at() < LEAST_NANOS) {
            return before.busy();
        }
        double busy = Math.clamp(1 - (double) (rested - before.rested()) / (now - before.at()), 0, 1);
        loops.put(loop, new Looked(now, rested, busy));
        return busy;
    }
}
