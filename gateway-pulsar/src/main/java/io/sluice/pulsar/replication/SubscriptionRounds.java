package io.sluice.pulsar.replication;

import io.sluice.broker.log.PartitionLog;
import io.sluice.pulsar.hub.Hubs;
import io.sluice.pulsar.replication.subscription.ReplicatedSubscriptions;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.SegmentContainer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Has the {@link ReplicatedSubscriptions} of all partitions that are replicated look at what has happened, round by round. One thread at a time. */
final class SubscriptionRounds {
    private static final int PARTITIONS_PER_TURN = 64;

    private final Hubs hubs;
    private final Map<PartitionLog, ReplicatedSubscriptions> byLog = new HashMap<>();

    private record Look(ReplicatedSubscriptions subscriptions, Set<String> others) {}

    SubscriptionRounds(Hubs hubs) {
        this.hubs = hubs;
    }

    /**
     * Replicated subscriptions of a partition, which all its replicators tell what they read.
     *
     * @param own name of the server's own cluster
     */
    ReplicatedSubscriptions of(PartitionLog log, String own) {
        return byLog.computeIfAbsent(log, none -> new ReplicatedSubscriptions(log, own, hubs));
    }

    /** @param running all replicators; partitions without one are forgotten */
    void round(Collection<Replicator> running) {
        Map<PartitionLog, Set<String>> others = new HashMap<>();
        Set<PartitionLog> apart = new HashSet<>();
        for (Replicator each : running) {
            PartitionLog log = each.task().log();
            others.computeIfAbsent(log, none -> new HashSet<>()).add(each.task().cluster());
            if (!each.isConnected()) {
                apart.add(log);
            }
        }
        byLog.keySet().retainAll(others.keySet());
        Map<SegmentContainer, List<Look>> turns = new HashMap<>();
        byLog.forEach((log, subscriptions) -> {
            List<Look> turn = turns.computeIfAbsent(log.container(), none -> new ArrayList<>());
            turn.add(new Look(subscriptions, apart.contains(log) ? Set.of() : others.getOrDefault(log, Set.of())));
            if (turn.size() == PARTITIONS_PER_TURN) {
                turns.remove(log.container());
                look(log.container(), turn);
            }
        });
        turns.forEach(SubscriptionRounds::look);
    }

    private static void look(SegmentContainer container, List<Look> turn) {
        container.execute(
                LoopTask.of(() -> turn.forEach(each -> each.subscriptions().tick(each.others()))));
    }
}
