package io.sluice.server.containers;

import io.sluice.store.cluster.LeaseClock;
import io.sluice.store.cluster.Metadata;
import io.sluice.store.cluster.NodeIdentity;
import io.sluice.store.container.ContainerConfig;
import io.sluice.store.container.ContainerParts;
import java.time.Duration;
import java.util.function.IntFunction;

/**
 * What a container needs to be opened.
 *
 * @param metadata where leases are kept
 * @param node this process
 * @param lease how long a lease lasts without being renewed
 * @param clock by which leases run out
 * @param config sizes and times
 * @param parts of a container, by its id, made once: its terms follow each other on the same cache
 */
public record ContainerSetup(
        Metadata metadata,
        NodeIdentity node,
        Duration lease,
        LeaseClock clock,
        ContainerConfig config,
        IntFunction<ContainerParts> parts) {}
