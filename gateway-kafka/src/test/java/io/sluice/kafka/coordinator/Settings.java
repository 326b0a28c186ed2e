package io.sluice.kafka.coordinator;

import java.time.Duration;

/** Settings of groups for tests: the defaults, but for what a test is about. */
final class Settings {
    private static final Duration QUICK = Duration.ofMillis(200);

    private Settings() {}

    /** The defaults, and members of the consumer protocol ask more often, or tests wait for them. */
    static GroupSettings quick() {
        return partitions(GroupSettings.DEFAULT.offsetsPartitions());
    }

    static GroupSettings partitions(int partitions) {
        return of(partitions, GroupSettings.DEFAULT.writeTimeout());
    }

    static GroupSettings of(int partitions, Duration writeTimeout) {
        return of(partitions, writeTimeout, GroupSettings.DEFAULT.minSessionTimeout());
    }

    /** One partition, and classic members may be gone after as short a time as they like. */
    static GroupSettings shortSessions() {
        return of(1, GroupSettings.DEFAULT.writeTimeout(), Duration.ofMillis(1));
    }

    private static GroupSettings of(int partitions, Duration writeTimeout, Duration minSessionTimeout) {
        GroupSettings normal = GroupSettings.DEFAULT;
        return new GroupSettings(
                partitions,
                normal.initialRebalanceDelay(),
                minSessionTimeout,
                normal.maxSessionTimeout(),
                QUICK,
                QUICK,
                Duration.ofSeconds(1),
                normal.offsetsRetention(),
                normal.retentionCheckInterval(),
                normal.maxGroupSize(),
                writeTimeout);
    }
}
