package io.sluice.broker.peer.net;

import io.sluice.broker.cluster.Endpoint;
import io.sluice.broker.peer.PeerHandlers;
import io.sluice.broker.peer.PeerIdentity;
import io.sluice.broker.peer.PeerQuestion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Nodes of one cluster in one process, which ask each other over loopback. */
public final class TestPeers implements AutoCloseable {
    /** Limit of a test that waits for an answer. */
    public static final Duration LONG = Duration.ofSeconds(60);

    private static final String CLUSTER = "one-cluster";

    private final Map<Integer, Endpoint> addresses = new ConcurrentHashMap<>();
    private final Map<Integer, PeerNetwork> nodes = new ConcurrentHashMap<>();
    private final List<PeerNetwork> all = new ArrayList<>();
    private final PeerLimits limits;
    private final PeerTrust trust;

    public TestPeers() {
        this(PeerLimits.of(64 << 20));
    }

    TestPeers(PeerLimits limits) {
        this(limits, PeerTrust.ANYBODY);
    }

    TestPeers(PeerLimits limits, PeerTrust trust) {
        this.limits = limits;
        this.trust = trust;
    }

    /** Starts a node that answers, in place of the one with its number. */
    public PeerNetwork start(int node, PeerHandlers handlers) {
        return start(CLUSTER, node, handlers);
    }

    PeerNetwork start(String cluster, int node, PeerHandlers handlers) {
        return start(cluster, node, handlers, trust);
    }

    PeerNetwork start(String cluster, int node, PeerHandlers handlers, PeerTrust trust) {
        PeerNetwork network =
                new PeerNetwork(new PeerIdentity(cluster, node, "process"), addresses::get, handlers, limits, trust);
        all.add(network);
        try {
            addresses.put(node, new Endpoint("127.0.0.1", network.listen("127.0.0.1", 0)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        nodes.put(node, network);
        return network;
    }

    /** Ends a node; its address stays known. */
    public void stop(int node) {
        PeerNetwork network = nodes.remove(node);
        if (network != null) {
            network.close();
        }
    }

    Endpoint address(int node) {
        Endpoint found = addresses.get(node);
        if (found == null) {
            throw new IllegalStateException("node " + node + " has not listened");
        }
        return found;
    }

    /** Has others look for a node there. */
    void address(int node, int port) {
        addresses.put(node, new Endpoint("127.0.0.1", port));
    }

    static PeerQuestion question(int kind, String text) {
        return new PeerQuestion((short) kind, (short) 0, text.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void close() {
        all.forEach(PeerNetwork::close);
    }
}
