package io.sluice.store.membership;

import io.sluice.store.cluster.ContainerLease;
import io.sluice.store.cluster.Leases;
import io.sluice.store.cluster.Metadata;
import java.io.IOException;

/** Leases of containers that last as long as the node's. */
public record NodeBoundLeases(Metadata metadata, NodeLease node, LiveNodes nodes) implements Leases {
    @Override
    public Attempt acquire(int container) throws IOException {
        return NodeBoundLease.acquire(metadata, "container " + container, ContainerLease.path(container), node, nodes);
    }

    /** See {@link NodeBoundLease#releaseUnknown}. */
    public void releaseUnknown(int container) throws IOException {
        NodeBoundLease.releaseUnknown(metadata, ContainerLease.path(container), node);
    }
}
