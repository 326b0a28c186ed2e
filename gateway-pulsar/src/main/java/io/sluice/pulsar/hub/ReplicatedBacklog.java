package io.sluice.pulsar.hub;

import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.subscription.Subscriptions;
import io.sluice.pulsar.dispatch.Subscription;

/** Messages of a partition that are still to be sent on to the clusters that it is replicated to. Loop only. */
public final class ReplicatedBacklog {
    private ReplicatedBacklog() {}

    /** Whether there are any. */
    public static boolean isThere(PartitionLog log) {
        for (Cursor each : log.subscriptions().all()) {
            if (Subscriptions.isReplicator(each.name()) && isBehind(log, each)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isBehind(PartitionLog log, Cursor cursor) {
        return log.readableEnd(Isolation.COMMITTED) < log.sequencedEnd() || Subscription.backlog(log, cursor) > 0;
    }
}
