package io.sluice.pulsar.services;

import io.sluice.pulsar.hub.Hubs;
import io.sluice.pulsar.namespace.ClusterMigration;
import io.sluice.pulsar.nonpersistent.NonPersistentTopics;
import io.sluice.store.container.Tasks;

/**
 * Has this node's clients go on at another cluster, soon after their cluster or their namespace was marked; and looks again from time to time as
 * long as there may be some.
 */
public final class ClusterMigrationWatch {
    /** Looks between two rounds while nothing changes: a second. */
    private static final int LOOKS_TO_ROUND = 4;

    private final ClusterMigration migration;
    private final Hubs hubs;
    private final NonPersistentTopics notKept;
    private final Tasks tasks;
    private final OneRound rounds = new OneRound();
    private long seen;
    private int quiet;

    public ClusterMigrationWatch(ClusterMigration migration, Hubs hubs, NonPersistentTopics notKept, Tasks tasks) {
        this.migration = migration;
        this.hubs = hubs;
        this.notKept = notKept;
        this.tasks = tasks;
    }

    /** Looks whether something is to be done; as often as {@link RateWatch}, on one thread. */
    public void look() {
        long now = migration.version();
        boolean again = migration.isActive() && ++quiet >= LOOKS_TO_ROUND;
        if (now == seen && !again) {
            return;
        }
        seen = now;
        quiet = 0;
        tasks.start("follow cluster migration", () -> rounds.now(this::round));
    }

    private void round() {
        hubs.followMigration();
        notKept.migrate(topic -> migration.of(topic) != null);
    }
}
