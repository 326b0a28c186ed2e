package io.sluice.broker;

import io.sluice.broker.cluster.Cluster;
import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.topic.ChangeOwner;
import io.sluice.broker.topic.ChangeOwners;

/** Processes of a cluster that change topics: the nodes that are alive. */
public final class OwnersInCluster implements ChangeOwners {
    private final Cluster cluster;

    public OwnersInCluster(Cluster cluster) {
        this.cluster = cluster;
    }

    private static ChangeOwner owner(ClusterNode node) {
        return new ChangeOwner(node.id(), node.incarnation());
    }

    @Override
    public ChangeOwner self() {
        return owner(cluster.self());
    }

    @Override
    public boolean isAlive(ChangeOwner other) {
        return cluster.nodes().stream().anyMatch(node -> owner(node).equals(other));
    }
}
