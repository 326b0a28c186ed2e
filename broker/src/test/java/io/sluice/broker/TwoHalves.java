package io.sluice.broker;

import static org.awaitility.Awaitility.await;

import io.sluice.broker.cluster.Cluster;
import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.cluster.Endpoint;
import io.sluice.broker.container.FailingOperations;
import io.sluice.broker.container.RoutedOperations;
import io.sluice.broker.log.AppendReply;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.ProducerLimits;
import io.sluice.broker.peer.PeerHandlers;
import io.sluice.broker.peer.Peers;
import io.sluice.broker.peer.net.TestPeers;
import io.sluice.broker.topic.ChangeOwner;
import io.sluice.broker.topic.ChangeOwners;
import io.sluice.broker.topic.StoredTopicCatalogue.Sources;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import io.sluice.broker.topic.step.PartitionSteps;
import io.sluice.store.cluster.LateMetadata;
import io.sluice.store.segment.InMemoryContainers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Two nodes, 1 and 2, of one store in one process, which ask each other over loopback: each has a broker of its own and serves half of
 * the containers, node 1 those of even number.
 */
public final class TwoHalves implements AutoCloseable {
    private static final int CONTAINERS = 4;

    private final MapMetadata metadata = new MapMetadata();
    private final AtomicLong segmentIds = new AtomicLong(1);
    private final AtomicLong topicIds = new AtomicLong(1);
    private final Executor tasks = task -> Thread.ofVirtual().start(task);
    private final TestPeers peers = new TestPeers();
    private volatile boolean secondIsAlive = true;

    public final Half one;
    public final Half two;

    public TwoHalves() {
        one = new Half(1);
        two = new Half(2);
    }

    /** One of the nodes. */
    public final class Half {
        final int node;
        private final Broker.Riders riders = new Broker.Riders(ProducerLimits.DEFAULT);
        private final InMemoryContainers containers =
                InMemoryContainers.withLoops(CONTAINERS, riders.factory(), System::currentTimeMillis);
        private final LateMetadata view = new LateMetadata(metadata);
        private final Broker broker;
        private final FailingOperations operations;
        private final PeerHandlers handlers = new PeerHandlers();
        private final Peers others;
        private final Cluster cluster;

        private Half(int node) {
            this.node = node;
            for (int id = node - 1; id < CONTAINERS; id += 2) {
                containers.start(id);
            }
            others = peers.start(node, handlers);
            cluster = new Seen(node);
            operations = new FailingOperations(new RoutedOperations(containers, cluster, others, Duration.ZERO));
            try {
                broker = Broker.open(
                        riders,
                        containers,
                        operations,
                        view,
                        new Sources(
                                        segmentIds::getAndAdd,
                                        () -> new UUID(3, topicIds.getAndIncrement()),
                                        System::currentTimeMillis,
                                        tasks)
                                .ownedBy(new Alive(node)));
                broker.answerOthers(
                        handlers, new PartitionSteps().add(DeleteSubscription.CODE, DeleteSubscription::read), tasks);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** What this node hears of the metadata, to be made late. */
        public LateMetadata metadata() {
            return view;
        }

        public Broker broker() {
            return broker;
        }

        /** What this node asks of containers, to be made to fail. */
        public FailingOperations operations() {
            return operations;
        }

        /** What other nodes may ask this one. */
        public PeerHandlers handlers() {
            return handlers;
        }

        /** The other node, to be asked. */
        public Peers others() {
            return others;
        }

        public Cluster cluster() {
            return cluster;
        }

        public InMemoryContainers containers() {
            return containers;
        }

        /** As this node shows it; null if it does not. */
        public @Nullable Topic topic(TopicName name) {
            return broker.catalogue().find(name);
        }

        /** Null if this node does not serve it. */
        public @Nullable PartitionLog log(TopicName name, int partition) {
            return broker.partitions().find(name, partition);
        }

        public <T extends @Nullable Object> T onLoop(PartitionLog log, Supplier<T> task) {
            return containers.onLoop(log.container().id(), task);
        }
    }

    /** Both nodes are taken for alive. */
    private record Alive(int node) implements ChangeOwners {
        @Override
        public ChangeOwner self() {
            return new ChangeOwner(node, new UUID(7, node));
        }

        @Override
        public boolean isAlive(ChangeOwner other) {
            return true;
        }
    }

    /** Node that serves the container. */
    public Half serving(int container) {
        return container % 2 == 0 ? one : two;
    }

    /** Appends entries of one message each, where the partition is served, once that node knows the topic as the first does. */
    public void append(TopicName name, int partition, int count, int bytes) {
        Topic topic = one.topic(name);
        if (topic == null) {
            throw new IllegalStateException("there is no topic " + name);
        }
        Half half = serving(topic.partitions().get(partition).container());
        PartitionLog log = await().atMost(Duration.ofSeconds(30))
                .until(() -> topic.equals(half.topic(name)) ? half.log(name, partition) : null, Objects::nonNull);
        for (int i = 0; i < count; i++) {
            CompletableFuture<Long> done = new CompletableFuture<>();
            AppendReply reply = new AppendedOffset(done);
            half.onLoop(log, () -> {
                log.append(TestEntries.plain(1, bytes, 1_000), reply);
                return null;
            });
            done.join();
        }
    }

    /** Lets the first node know of no owner of the second one's containers. */
    public void loseSecond() {
        secondIsAlive = false;
    }

    private final class Seen implements Cluster {
        private final int self;

        Seen(int self) {
            this.self = self;
        }

        @Override
        public String id() {
            return "two-halves";
        }

        @Override
        public ClusterNode self() {
            return new ClusterNode(self, Map.of());
        }

        @Override
        public List<ClusterNode> nodes() {
            return List.of(new ClusterNode(1, Map.of()), new ClusterNode(2, Map.of()));
        }

        @Override
        public @Nullable ClusterNode ownerOf(int container) {
            int owner = 1 + container % 2;
            return owner == 2 && !secondIsAlive ? null : new ClusterNode(owner, Map.of());
        }

        @Override
        public void advertise(String listener, Endpoint endpoint) {}

        @Override
        public void onChange(Runnable listener) {}

        @Override
        public void offChange(Runnable listener) {}
    }

    @Override
    public void close() {
        one.broker.close();
        two.broker.close();
        peers.close();
        one.containers.close();
        two.containers.close();
    }
}
