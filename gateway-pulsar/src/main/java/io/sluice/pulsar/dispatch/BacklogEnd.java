package io.sluice.pulsar.dispatch;

import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import java.util.List;

/**
 * Tells consumers that nothing more comes to their subscription here: the partition was terminated, or its topic has migrated to another cluster.
 * One for all subscriptions of a partition. Loop only.
 */
final class BacklogEnd {
    private final PartitionLog log;
    private boolean migrated;

    BacklogEnd(PartitionLog log) {
        this.log = log;
    }

    /** Whether the topic's producers are at another cluster, so that consumers follow when they have all there is here. */
    void setMigrated(boolean now) {
        migrated = now;
    }

    /** Whether all there will ever be can be read by now. Entries under way into the log, or in a transaction, are still to come. */
    boolean isFixed() {
        return migrated ? log.readableEnd(Isolation.COMMITTED) >= log.sequencedEnd() : log.isComplete();
    }

    /** Tells consumers, once each, of a subscription that has acknowledged all of it. */
    void tell(List<Consumer> consumers) {
        for (Consumer each : List.copyOf(consumers)) {
            if (each.introduced && migrated && each.outlet().followsMigration()) {
                each.leave();
                each.outlet().topicMigrated(each);
            } else if (each.introduced && !each.toldOfEnd && log.isComplete()) {
                each.toldOfEnd = true;
                each.outlet().endOfTopic(each);
            }
        }
    }
}
