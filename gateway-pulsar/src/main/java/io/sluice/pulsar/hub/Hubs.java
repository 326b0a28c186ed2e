package io.sluice.pulsar.hub;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.ShadowPartitionLog;
import io.sluice.pulsar.dispatch.DispatchServices;
import io.sluice.pulsar.dispatch.PartitionPlace;
import io.sluice.store.segment.LoopTask;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The hubs of partitions that have, or had, Pulsar producers or consumers. A hub belongs to one term of its log. */
public final class Hubs {
    private final ConcurrentHashMap<PartitionLog, PartitionHub> byLog = new ConcurrentHashMap<>();
    private final DispatchServices services;

    public Hubs(DispatchServices services) {
        this.services = services;
    }

    /** On the log's loop. Finds or makes the hub; {@code partition} is -1 for a non-partitioned topic. */
    public PartitionHub on(PartitionLog found, String topic, int partition) {
        PartitionLog log = found.createIfMissing();
        PartitionHub known = byLog.get(log);
        if (known != null) {
            return known;
        }
        PartitionHub hub = new PartitionHub(new PartitionPlace(log, topic, partition), services, this::drop);
        byLog.put(log, hub);
        hub.open();
        return hub;
    }

    /** On the log's loop. Null if no client has had a producer or consumer there. */
    public @Nullable PartitionHub find(PartitionLog log) {
        return byLog.get(log);
    }

    /** Has the partitions keep to the rates that hold by now. Any thread. */
    public void followRates() {
        byLog.forEach((log, hub) -> {
            if (!services.rates().of(hub.topic()).equals(hub.rates().rates())) {
                // a hub ends with its container
                log.container().execute(LoopTask.of(hub::follow));
            }
        });
    }

    /**
     * Tells clients of shadow topics that are gone to look them up again. Logs of other topics end with their topic. Any thread.
     *
     * @param isGone asked by the id of a shadow topic
     */
    public void endShadows(Predicate<UUID> isGone) {
        byLog.forEach((log, hub) -> {
            if (log instanceof ShadowPartitionLog shadow && isGone.test(shadow.topic())) {
                log.container().execute(LoopTask.of(hub::unload));
            }
        });
    }

    /** Has the partitions send their clients on to another cluster, or keep them, by what is known now. Any thread. */
    public void followMigration() {
        byLog.forEach((log, hub) -> {
            if (hub.hasMigrated() || services.migration().isMigrated(hub.topic())) {
                // a hub ends with its container
                log.container().execute(LoopTask.of(hub::followMigration));
            }
        });
    }

    private void drop(PartitionHub hub) {
        byLog.remove(hub.log(), hub);
    }
}
