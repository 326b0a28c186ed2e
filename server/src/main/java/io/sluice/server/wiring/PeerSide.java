package io.sluice.server.wiring;

import io.sluice.broker.cluster.Cluster;
import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.cluster.Endpoint;
import io.sluice.broker.container.ContainerOperations;
import io.sluice.broker.container.LocalOperations;
import io.sluice.broker.container.RoutedOperations;
import io.sluice.broker.peer.PeerHandlers;
import io.sluice.broker.peer.PeerIdentity;
import io.sluice.broker.peer.Peers;
import io.sluice.broker.peer.net.PeerLimits;
import io.sluice.broker.peer.net.PeerNetwork;
import io.sluice.server.config.Internal;
import io.sluice.server.config.MemoryBudget;
import io.sluice.store.segment.Containers;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Questions to other nodes and answers to theirs; a server that has its store alone has neither. */
final class PeerSide implements AutoCloseable {
    private final Cluster cluster;
    private final PeerHandlers handlers = new PeerHandlers();
    private final @Nullable PeerNetwork network;

    /** Asks from now on; answers once it listens. */
    PeerSide(Foundation foundation, Cluster cluster, MemoryBudget memory) {
        this.cluster = cluster;
        var self = new PeerIdentity(
                cluster.id(),
                cluster.self().id(),
                foundation.node().incarnation().toString());
        network = foundation.isShared()
                ? new PeerNetwork(self, this::address, handlers, PeerLimits.of(memory.peerBytes()))
                : null;
    }

    private @Nullable Endpoint address(int node) {
        for (ClusterNode each : cluster.nodes()) {
            if (each.id() == node) {
                return each.endpoint(ClusterNode.INTERNAL);
            }
        }
        return null;
    }

    /** Other nodes, to be asked. */
    Peers peers() {
        return network == null ? Peers.NONE : network;
    }

    /** Operations in the containers of all nodes. */
    ContainerOperations operations(Containers here) {
        return network == null ? new LocalOperations(here) : new RoutedOperations(here, cluster, network);
    }

    /** Handlers of what others ask, to be registered before it listens. */
    PeerHandlers handlers() {
        return handlers;
    }

    /** Lets other nodes know where to ask, and answers them. */
    void listen(Internal config) throws StartException {
        if (network == null) {
            return;
        }
        try {
            int port = network.listen(config.host(), config.port());
            cluster.advertise(
                    ClusterNode.INTERNAL,
                    new Endpoint(
                            config.advertisedHost().isEmpty() ? config.host() : config.advertisedHost(),
                            config.advertisedPort() == 0 ? port : config.advertisedPort()));
        } catch (IOException e) {
            throw new StartException(PortInUse.line("internal", config.host(), config.port(), e));
        }
    }

    @Override
    public void close() {
        if (network != null) {
            network.close();
        }
    }
}
