package io.sluice.server.membership;

import io.sluice.server.containers.ServedContainers;
import io.sluice.store.container.Container;
import io.sluice.store.container.ContainerStats;
import java.util.HashMap;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.TimeUnit;

/** Bytes per second that were appended to each container served here. One thread. */
final class LoadOfContainers {
    private final ServedContainers containers;
    private final Map<Integer, Long> appended = new HashMap<>();
    private long measuredAt = System.nanoTime();

    LoadOfContainers(ServedContainers containers) {
        this.containers = containers;
    }

    /** Since it was measured last: {@code <container>=<bytes per second> ...}. */
    String measure() {
        long now = System.nanoTime();
        long millis = Math.max(1, TimeUnit.NANOSECONDS.toMillis(now - measuredAt));
        measuredAt = now;
        var loads = new StringJoiner(" ");
        for (Container each : containers.served()) {
            ContainerStats stats = each.stats();
            if (stats != null) {
                Long before = appended.put(each.id(), stats.appendedBytes());
                // a term begins to count at 0
                long more = before == null || stats.appendedBytes() < before ? 0 : stats.appendedBytes() - before;
                loads.add(each.id() + "=" + more * 1_000 / millis);
            }
        }
        return loads.toString();
    }
}
