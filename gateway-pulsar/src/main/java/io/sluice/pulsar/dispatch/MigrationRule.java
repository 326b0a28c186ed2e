package io.sluice.pulsar.dispatch;

/** Says which topics have migrated to another cluster, so that their clients are sent there. Any thread. */
public interface MigrationRule {
    /** @param topic a topic's name, or a partition's */
    boolean isMigrated(String topic);
}
