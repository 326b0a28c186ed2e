package io.sluice.kafka.coordinator;

import java.time.Duration;

/** Settings of groups for tests: the defaults, but for what a test is about. */
final class Settings {
    private Settings() {}

    static GroupSettings partitions(int partitions) {
        return of(partitions, GroupSettings.DEFAULT.writeTimeout(), GroupSettings.DEFAULT.compactAfterBytes());
    }

    static GroupSettings of(int partitions, Duration writeTimeout, long compactAfterBytes) {
        GroupSettings normal = GroupSettings.DEFAULT;
        return new GroupSettings(
                partitions,
                normal.initialRebalanceDelay(),
                normal.minSessionTimeout(),
                normal.maxSessionTimeout(),
                normal.offsetsRetention(),
                normal.retentionCheckInterval(),
                normal.maxGroupSize(),
                writeTimeout,
                compactAfterBytes);
    }
}
