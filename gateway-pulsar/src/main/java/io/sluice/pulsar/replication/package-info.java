/**
 * Geo-replication, the sending side: what producers write to a partition here is sent on to the clusters that its topic is in. One replicator for
 * each partition and cluster, in the node that serves the partition, by a durable cursor. Off the loops but for reads and the cursor; how another
 * cluster is reached is behind {@link RemoteCluster}.
 */
@NullMarked
package io.sluice.pulsar.replication;

import org.jspecify.annotations.NullMarked;
