package io.sluice.server.wiring;

import io.sluice.broker.cluster.Cluster;
import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.cluster.Endpoint;
import io.sluice.broker.container.ContainerOperations;
import io.sluice.broker.container.LocalOperations;
import io.sluice.broker.container.RoutedOperations;
import io.sluice.broker.identity.ClusterSecret;
import io.sluice.broker.identity.NodeTls;
import io.sluice.broker.identity.TlsFiles;
import io.sluice.broker.peer.PeerHandlers;
import io.sluice.broker.peer.PeerIdentity;
import io.sluice.broker.peer.Peers;
import io.sluice.broker.peer.net.PeerLimits;
import io.sluice.broker.peer.net.PeerNetwork;
import io.sluice.broker.peer.net.PeerTrust;
import io.sluice.server.config.Internal;
import io.sluice.server.config.MemoryBudget;
import io.sluice.store.segment.Containers;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Questions to other nodes and answers to theirs; a server that has its store alone has neither. */
final class PeerSide implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(PeerSide.class);
    /** Between looks at the files of certificates and secrets. */
    private static final Duration PAUSE = Duration.ofSeconds(5);

    private final Cluster cluster;
    private final PeerHandlers handlers = new PeerHandlers();
    private final Internal config;
    private final @Nullable PeerNetwork network;
    private final @Nullable Rounds reading;

    /**
     * Asks from now on; answers once it listens.
     *
     * @throws StartException a certificate or a secret cannot be used, in one line
     */
    PeerSide(Foundation foundation, Cluster cluster, MemoryBudget memory, Internal config) throws StartException {
        this.cluster = cluster;
        this.config = config;
        var self = new PeerIdentity(
                cluster.id(),
                cluster.self().id(),
                foundation.node().incarnation().toString());
        if (!foundation.isShared()) {
            network = null;
            reading = null;
            return;
        }
        PeerTrust trust = trust(config);
        network = new PeerNetwork(self, this::address, handlers, PeerLimits.of(memory.peerBytes()), trust);
        reading = trust.equals(PeerTrust.ANYBODY)
                ? null
                : Rounds.start("internal listener's files", Thread.ofVirtual(), PAUSE, PAUSE, () -> readAgain(trust));
    }

    private static PeerTrust trust(Internal config) throws StartException {
        String setting = "internal.tls: ";
        try {
            NodeTls tls = config.tls().given() ? nodeTls(config.tls()) : null;
            setting = "internal.secretFile: ";
            ClusterSecret secret = config.secretFile().isEmpty() ? null : new ClusterSecret(config.secretFile());
            return new PeerTrust(tls, secret);
        } catch (IOException e) {
            throw new StartException(setting + e.getMessage());
        }
    }

    private static NodeTls nodeTls(Internal.NodeTlsFiles files) throws IOException {
        return new NodeTls(
                files(files), BookieCertificates.revoked(files.revokedCertificates(), Path.of(files.authorities())));
    }

    private static TlsFiles files(Internal.NodeTlsFiles files) {
        String password = files.keyPasswordFile();
        return new TlsFiles(
                Path.of(files.certificate()),
                files.key(),
                password.isEmpty() ? null : password,
                Path.of(files.authorities()));
    }

    private static void readAgain(PeerTrust trust) {
        NodeTls tls = trust.tls();
        if (tls != null) {
            for (String issuer : tls.newlyOutdated(Instant.now())) {
                log.warn(
                        "The list of revoked certificates of {} should have been replaced by now"
                                + " (internal.tls.revokedCertificates). It still counts",
                        issuer);
            }
        }
        try {
            if (trust.reload()) {
                log.info("Connections between nodes use the changed certificate, list of revoked ones or secret");
            }
        } catch (IOException e) {
            log.warn("The internal listener's certificate or secret stays as it was: {}", e.getMessage());
        }
    }

    private static void stayConnected(PeerNetwork network, Cluster cluster) {
        network.stayConnected(cluster.nodes().stream()
                .filter(each -> !cluster.isSelf(each))
                .map(ClusterNode::id)
                .collect(Collectors.toSet()));
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
        return network == null
                ? new LocalOperations(here)
                : new RoutedOperations(here, cluster, network, RoutedOperations.OWNERLESS);
    }

    /** Handlers of what others ask, to be registered before it listens. */
    PeerHandlers handlers() {
        return handlers;
    }

    /** Lets other nodes know where to ask, and answers them. */
    void listen() throws StartException {
        if (network == null) {
            return;
        }
        try {
            int port = network.listen(config.host(), config.port());
            PeerNetwork connected = network;
            cluster.onChange(() -> stayConnected(connected, cluster));
            stayConnected(connected, cluster);
            cluster.consult(connected);
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
    public void close() throws InterruptedException {
        if (reading != null) {
            reading.close();
        }
        if (network != null) {
            network.close();
        }
    }
}
