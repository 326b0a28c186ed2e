package io.sluice.server.containers;

import io.sluice.store.cluster.Leases;
import io.sluice.store.cluster.NodeIdentity;
import io.sluice.store.container.ContainerConfig;
import io.sluice.store.container.ContainerParts;
import io.sluice.store.container.MemoryShare;
import io.sluice.store.wal.Durability;
import java.time.Duration;
import java.util.function.IntFunction;

/**
 * Dependencies for opening containers.
 *
 * @param leases of containers, for this process
 * @param node this process
 * @param lease how long a lease lasts without being renewed
 * @param config times, and all that has nothing to do with memory
 * @param shares of the memory, by the number of containers
 * @param parts of a container
 * @param ackQuorum copies that an acknowledged write of a log has
 * @param attempts at containers whose logs did not answer
 */
public record ContainerSetup(
        Leases leases,
        NodeIdentity node,
        Duration lease,
        ContainerConfig config,
        IntFunction<MemoryShare> shares,
        Parts parts,
        int ackQuorum,
        LogAttempts attempts) {
    /** Makes a container's parts, once: its terms follow each other on the same cache, which is closed after the last. */
    public interface Parts {
        ContainerParts of(int container, Durability durability, MemoryShare share);
    }
}
