package io.sluice.broker;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sluice.broker.cluster.Cluster;
import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.cluster.Endpoint;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.Partitions;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import io.sluice.broker.topic.step.PartitionStep;
import io.sluice.broker.topic.step.PartitionSteps;
import io.sluice.store.segment.Containers;
import io.sluice.store.segment.SegmentContainer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Two nodes, 1 and 2, over one broker: at first containers of even number are the first's, those of odd number the second's. Both stand in
 * a rack of their own, and the second is the controller.
 */
public final class TwoNodes {
    private static final int NOBODY = -1;

    private final TestBroker broker;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private final Map<Integer, ClusterNode> nodes = new HashMap<>();
    private final Map<Integer, PartitionSteps> steps = new ConcurrentHashMap<>();
    /** By container; -1 while nobody serves it. */
    private final Map<Integer, Integer> owners = new ConcurrentHashMap<>();

    /** Nodes that hear of nothing any more. */
    private final Set<Integer> cutOff = ConcurrentHashMap.newKeySet();

    public TwoNodes(TestBroker broker) {
        this.broker = broker;
        nodes.put(1, new ClusterNode(1, new UUID(1, 1), "rack-1", Map.of()));
        nodes.put(2, new ClusterNode(2, new UUID(1, 2), "rack-2", Map.of()));
    }

    /** The container stops; until {@link #serve} no node is known to serve it. */
    public void stop(int container) {
        owners.put(container, NOBODY);
        broker.containers().stop(container);
        changed();
    }

    /** The node begins the container's next term. */
    public void serve(int container, int node) {
        broker.containers().start(container);
        owners.put(container, node);
        changed();
    }

    /** Ends the container's term, and begins the next at the other node. */
    public void handOver(int container) {
        int to = ownerOf(container) == 1 ? 2 : 1;
        stop(container);
        serve(container, to);
    }

    /** The node hears of nothing any more; what it served is the other's. */
    public void cutOff(int node) {
        cutOff.add(node);
        for (int container : broker.containers().all()) {
            if (ownerOf(container) == node) {
                handOver(container);
            }
        }
    }

    /** As {@link #handOver}; the other node is known as the owner before the term ends. */
    public void take(int container) {
        owners.put(container, ownerOf(container) == 1 ? 2 : 1);
        broker.containers().stop(container);
        broker.containers().start(container);
        changed();
    }

    private int ownerOf(int container) {
        return owners.getOrDefault(container, 1 + container % 2);
    }

    private void changed() {
        new ArrayList<>(listeners).forEach(Runnable::run);
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

    /** Steps that the other node may ask this one for from now on, to be added to. */
    public PartitionSteps beginSteps(int node) {
        PartitionSteps begun = new PartitionSteps();
        steps.put(node, begun);
        return begun;
    }

    /** Containers that the node serves. */
    public Containers containersOf(int node) {
        return new ServedContainers(of(node));
    }

    private final class ServedContainers implements Containers {
        private final Cluster cluster;

        ServedContainers(Cluster cluster) {
            this.cluster = cluster;
        }

        @Override
        public @Nullable SegmentContainer serving(int container) {
            ClusterNode owner = cluster.ownerOf(container);
            return owner != null && cluster.isSelf(owner) ? broker.containers().serving(container) : null;
        }

        @Override
        public List<Integer> all() {
            return broker.containers().all();
        }

        @Override
        public @Nullable String owner(int container) {
            ClusterNode owner = cluster.ownerOf(container);
            return owner == null ? null : "node " + owner.id();
        }
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
        public boolean isCurrent() {
            return !cutOff.contains(self);
        }

        @Override
        public @Nullable ClusterNode ownerOf(int container) {
            if (!isCurrent()) {
                return null;
            }
            int owner = TwoNodes.this.ownerOf(container);
            return owner == NOBODY ? null : node(owner);
        }

        @Override
        public long termOf(int container) {
            SegmentContainer serving = broker.containers().serving(container);
            return serving == null ? -1 : serving.term();
        }

        @Override
        public ClusterNode controller() {
            return node(2);
        }

        @Override
        public void advertise(String listener, Endpoint endpoint) {
            synchronized (TwoNodes.this) {
                Map<String, Endpoint> endpoints = new HashMap<>(node(self).endpoints());
                endpoints.put(listener, endpoint);
                nodes.put(self, node(self).listeningAt(endpoints));
            }
            changed();
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
                    : find(topic, partition);
        }

        @Override
        public @Nullable PartitionLog find(Topic.Placement placement) {
            ClusterNode owner = cluster.ownerOf(placement.container());
            return owner != null && cluster.isSelf(owner) ? broker.partitions().find(placement) : null;
        }

        /** The other node gets the step as it comes over the network. */
        @Override
        public <T> CompletableFuture<T> ask(Topic topic, int partition, PartitionStep<T> step) {
            ClusterNode owner =
                    cluster.ownerOf(topic.partitions().get(partition).container());
            if (owner == null || cluster.isSelf(owner)) {
                return Partitions.super.ask(topic, partition, step);
            }
            ByteBuf question = Unpooled.buffer().writeByte(step.code());
            step.write(question);
            return answered(owner.id(), topic, partition, question)
                    .thenApply(answer -> step.readResult(Unpooled.wrappedBuffer(answer)));
        }

        private CompletableFuture<byte[]> answered(int node, Topic topic, int partition, ByteBuf question) {
            return asked(
                    partitionsOf(node),
                    topic,
                    partition,
                    steps.getOrDefault(node, new PartitionSteps()).read(question));
        }

        private static <T> CompletableFuture<byte[]> asked(
                Partitions there, Topic topic, int partition, PartitionStep<T> step) {
            return there.ask(topic, partition, step).thenApply(result -> {
                ByteBuf answer = Unpooled.buffer();
                step.writeResult(result, answer);
                return ByteBufUtil.getBytes(answer);
            });
        }
    }
}
