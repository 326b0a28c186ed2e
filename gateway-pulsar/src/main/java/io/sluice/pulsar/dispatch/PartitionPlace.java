package io.sluice.pulsar.dispatch;

import io.sluice.broker.log.PartitionLog;

/**
 * A partition with its name.
 *
 * @param partition -1 for a non-partitioned topic
 */
public record PartitionPlace(PartitionLog log, String topic, int partition) {
    /** Milliseconds since the epoch, by the container's clock. */
    public long now() {
        return log.container().now();
    }
}
