package io.sluice.pulsar.replication;

import io.sluice.pulsar.metrics.Traffic;
import org.jspecify.annotations.Nullable;

/**
 * A replicator at one moment.
 *
 * @param backlog messages that are not in the other cluster yet
 * @param delayMillis since the oldest message that is under way was published; 0 if none is
 * @param connection null where there is no producer
 */
public record ReplicatorView(
        String cluster,
        Traffic.View out,
        long backlog,
        long delayMillis,
        boolean connected,
        @Nullable String connection,
        @Nullable String connectedSince) {}
