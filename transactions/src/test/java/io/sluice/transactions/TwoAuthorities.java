package io.sluice.transactions;

import io.sluice.broker.DirectPeers;
import io.sluice.broker.TestBroker;
import io.sluice.broker.TwoNodes;
import io.sluice.broker.cluster.Cluster;
import io.sluice.transactions.peer.PeerTransactions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** Authorities of two nodes, each with half of the containers of one broker. */
final class TwoAuthorities implements AutoCloseable {
    private final TestBroker broker = TestBroker.start();
    private final TwoNodes nodes = new TwoNodes(broker);
    private final DirectPeers peers = new DirectPeers();
    private final AtomicLong ids = new AtomicLong(1);
    private final Map<Integer, Node> started = new HashMap<>();

    /** A node's half. */
    record Node(TransactionAuthority authority, PeerTransactions remote, List<Marked> groupMarkers) {}

    /** A marker that the coordinator of groups was given. */
    record Marked(int partition, Marker marker) {}

    TwoAuthorities(String groupTopic) throws Exception {
        for (int node = 1; node <= 2; node++) {
            started.put(node, start(node, groupTopic));
        }
    }

    private Node start(int node, String groupTopic) throws Exception {
        Cluster cluster = nodes.of(node);
        PeerTransactions remote = new PeerTransactions(cluster, peers.of(node));
        TransactionAuthority authority = TransactionAuthority.open(
                TransactionSettings.DEFAULT,
                new TransactionAuthority.Environment(
                        broker.catalogue(),
                        nodes.partitionsOf(node),
                        ids::getAndIncrement,
                        task -> Thread.ofVirtual().start(task),
                        System::currentTimeMillis,
                        remote));
        List<Marked> marked = new ArrayList<>();
        authority.start(new GroupTransactions() {
            @Override
            public String topic() {
                return groupTopic;
            }

            @Override
            public void end(int partition, Marker marker, Consumer<Markers.Fate> done) {
                synchronized (marked) {
                    marked.add(new Marked(partition, marker));
                }
                done.accept(Markers.Fate.WRITTEN);
            }
        });
        PeerTransactions.answer(peers.handlers(node), authority.local(), nodes.containersOf(node));
        return new Node(authority, remote, marked);
    }

    TestBroker broker() {
        return broker;
    }

    DirectPeers peers() {
        return peers;
    }

    Node node(int node) {
        return Objects.requireNonNull(started.get(node));
    }

    TransactionAuthority authority(int node) {
        return node(node).authority;
    }

    List<Marked> groupMarkers(int node) {
        List<Marked> marked = node(node).groupMarkers;
        synchronized (marked) {
            return List.copyOf(marked);
        }
    }

    /** Gives the container to the other node. */
    void handOver(int container) {
        int before = Objects.requireNonNull(nodes.of(1).ownerOf(container)).id();
        nodes.handOver(container);
        authority(before).containerStopped(container);
        authority(3 - before).containerServing(container);
    }

    @Override
    public void close() {
        started.values().forEach(node -> {
            node.authority.close();
            node.remote.close();
        });
        broker.close();
    }
}
