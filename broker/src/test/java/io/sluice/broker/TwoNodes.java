package io.sluice.broker;

import io.sluice.broker.cluster.Cluster;
import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.cluster.Endpoint;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.Partitions;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Two nodes, 1 and 2, over one broker: containers of even number are the first's, those of odd number the second's. */
public final class TwoNodes {
    private final TestBroker broker;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private final Map<Integer, ClusterNode> nodes = new HashMap<>();

    public TwoNodes(TestBroker broker) {
        this.broker = broker;
        nodes.put(1, new ClusterNode(1, Map.of()));
        nodes.put(2, new ClusterNode(2, Map.of()));
    }

    private synchronized ClusterNode node(int id) {
        ClusterNode node = nodes.get(id);
        if (node == null) {
            throw new IllegalArgumentException("there is no node " + id);
        }
        return node;
    }

    /** What the node sees. */
    public Cluster of(int node) {
        return new Seen(node);
    }

    /** What the node serves: nothing of the other's containers. */
    public Partitions partitionsOf(int node) {
        return new Served(of(node));
    }

    private final class Seen implements Cluster {
        private final int self;

        Seen(int self) {
            this.self = self;
        }

        @Override
        public String id() {
            return "two-nodes";
        }

        @Override
        public ClusterNode self() {
            return node(self);
        }

        @Override
        public List<ClusterNode> nodes() {
            return List.of(node(1), node(2));
        }

        @Override
        public ClusterNode ownerOf(int container) {
            return node(1 + container % 2);
        }

        @Override
        public void advertise(String listener, Endpoint endpoint) {
            synchronized (TwoNodes.this) {
                Map<String, Endpoint> endpoints = new HashMap<>(node(self).endpoints());
                endpoints.put(listener, endpoint);
                nodes.put(self, new ClusterNode(self, endpoints));
            }
            new ArrayList<>(listeners).forEach(Runnable::run);
        }

        @Override
        public void onChange(Runnable listener) {
            listeners.add(listener);
        }

        @Override
        public void offChange(Runnable listener) {
            listeners.remove(listener);
        }
    }

    private final class Served implements Partitions {
        private final Cluster cluster;

        Served(Cluster cluster) {
            this.cluster = cluster;
        }

        @Override
        public @Nullable PartitionLog find(TopicName name, int partition) {
            Topic topic = broker.catalogue().find(name);
            return topic == null
                            || partition < 0
                            || partition >= topic.partitions().size()
                    ? null
                    : find(topic.partitions().get(partition));
        }

        @Override
        public @Nullable PartitionLog find(Topic.Placement placement) {
            ClusterNode owner = cluster.ownerOf(placement.container());
            return owner != null && cluster.isSelf(owner) ? broker.partitions().find(placement) : null;
        }
    }
}
