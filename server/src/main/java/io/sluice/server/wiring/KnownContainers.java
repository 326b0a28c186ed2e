package io.sluice.server.wiring;

import io.sluice.broker.Broker;
import io.sluice.broker.cluster.Cluster;
import io.sluice.broker.cluster.ClusterNode;
import io.sluice.server.containers.ContainerCount;

/** Containers as the topics and the cluster's nodes show them. */
record KnownContainers(Broker broker, Cluster cluster) implements ContainerCount.Known {
    @Override
    public int placedIn(int container) {
        return broker.placedIn(container);
    }

    @Override
    public boolean isElsewhere(int container) {
        ClusterNode owner = cluster.ownerOf(container);
        return owner != null && !cluster.isSelf(owner);
    }
}
