package io.sluice.transactions;

import io.sluice.broker.cluster.Cluster;
import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.cluster.Endpoint;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.peer.PeerHandlers;
import io.sluice.broker.topic.Topic;
import io.sluice.store.segment.Containers;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.transactions.peer.PeerTransactions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Partitions at three nodes, one of which coordinates, too. Containers change their nodes, coordinators have successors of which they
 * are not told; what a node sees of that may be old.
 */
final class PartitionsOnNodes extends PartitionsOnContainers {
    private static final int NODES = 3;

    /** The coordinator's. */
    private static final int STATE = CONTAINERS;

    private final Random random;
    private final TransactionSim.Bug bug;
    private final SimulatedNetwork network;
    private final List<Process> processes = new ArrayList<>();

    /** By container: the node that serves it, and the one before. */
    private final int[] owners = new int[CONTAINERS + 1];

    private final int[] earlierOwners = new int[CONTAINERS + 1];
    private final List<SimulatedCoordinator> coordinators = new ArrayList<>();
    private final List<Integer> coordinatorNodes = new ArrayList<>();

    PartitionsOnNodes(Random random, TransactionSim.Bug bug) {
        super(random, bug);
        this.random = random;
        this.bug = bug;
        this.network = new SimulatedNetwork(random, node -> processes.get(node).handlers());
        for (int node = 0; node < NODES; node++) {
            processes.add(new Process(node));
        }
        for (int container = 0; container < owners.length; container++) {
            owners[container] = random.nextInt(NODES);
        }
    }

    /** A node from its start to its crash. */
    private final class Process implements LocalTransactions, Containers, Cluster {
        private final int node;
        private final PeerTransactions remote;
        private PeerHandlers handlers;

        Process(int node) {
            this.node = node;
            this.remote = new PeerTransactions(this, network.of(node));
            this.handlers = newHandlers();
        }

        private PeerHandlers newHandlers() {
            PeerHandlers made = new PeerHandlers();
            PeerTransactions.answer(made, this, this);
            return made;
        }

        PeerHandlers handlers() {
            if (bug == TransactionSim.Bug.TAKES_MARKERS_THAT_WERE_GIVEN_UP) {
                handlers = newHandlers(); // which have seen no later ones
            }
            return handlers;
        }

        @Override
        public void ask(TransactionQuestion question, Consumer<@Nullable TransactionError> answer) {
            SimulatedCoordinator here = null;
            for (int i = 0; i < coordinators.size(); i++) {
                here = coordinatorNodes.get(i) == node ? coordinators.get(i) : here;
            }
            boolean answers = here != null && (here.hasLease() || bug == TransactionSim.Bug.VERIFIES_WITHOUT_ITS_LEASE);
            if (here == null || !answers) {
                answer.accept(TransactionError.NOT_COORDINATOR);
                return;
            }
            answer.accept(here.shard()
                    .verify(
                            question.transactionalId(),
                            TransactionUser.named(question.user()),
                            question.producer(),
                            question.partition().toKafka()));
        }

        @Override
        public void mark(Place place, Marker marker, Consumer<Markers.Fate> done) {
            int partition = place.partition().partition();
            PartitionLog log = log(partition);
            boolean inTerm = log.container().term() == place.term();
            if (place.segment() != partition || !inTerm || serving(partition % CONTAINERS) == null) {
                done.accept(Markers.Fate.UNKNOWN);
                return;
            }
            Marker written = bug == TransactionSim.Bug.TAKES_MARKERS_OF_EARLIER_COORDINATORS
                    ? new Marker(marker.producer(), Integer.MAX_VALUE, marker.commit())
                    : marker;
            PartitionMarkers.write(log, place.partition().subscription(), written, done);
        }

        @Override
        public @Nullable SegmentContainer serving(int container) {
            return owners[container] == node ? containers().serving(container) : null;
        }

        @Override
        public List<Integer> all() {
            return containers().all();
        }

        @Override
        public @Nullable String owner(int container) {
            return null;
        }

        @Override
        public String id() {
            return "three-nodes";
        }

        @Override
        public ClusterNode self() {
            return new ClusterNode(node, Map.of());
        }

        @Override
        public List<ClusterNode> nodes() {
            return IntStream.range(0, NODES)
                    .mapToObj(each -> new ClusterNode(each, Map.of()))
                    .toList();
        }

        /** Sometimes the one before. */
        @Override
        public ClusterNode ownerOf(int container) {
            boolean late = !isCalm() && random.nextInt(container == STATE ? 2 : 6) == 0;
            return new ClusterNode(late ? earlierOwners[container] : owners[container], Map.of());
        }

        @Override
        public void advertise(String listener, Endpoint endpoint) {}

        @Override
        public void onChange(Runnable listener) {}

        @Override
        public void offChange(Runnable listener) {}
    }

    @Override
    public Markers coordinatedBy(SimulatedCoordinator coordinator) {
        moveTo(STATE, (owners[STATE] + 1 + random.nextInt(NODES - 1)) % NODES);
        int node = owners[STATE];
        coordinators.add(coordinator);
        coordinatorNodes.add(node);
        return (partition, marker, done) -> mark(node, partition, marker, done);
    }

    private void mark(int from, Participant partition, Marker marker, Consumer<Fate> done) {
        int container = partition.partition() % CONTAINERS;
        if (owners[container] == from) {
            write(partition, marker, done);
        } else {
            var placement = new Topic.Placement(container, partition.partition());
            processes.get(from).remote.mark(partition, placement, marker, done);
        }
    }

    @Override
    void ask(TransactionQuestion question, BooleanSupplier coordinator, Consumer<Boolean> answer) {
        Process here = processes.get(owners[question.partition().partition() % CONTAINERS]);
        Consumer<@Nullable TransactionError> told = error -> answer.accept(error == null);
        if (owners[STATE] == here.node) {
            here.ask(question, told);
        } else {
            here.remote.ask(STATE, question, told);
        }
    }

    private void moveTo(int container, int node) {
        earlierOwners[container] = owners[container];
        owners[container] = node;
    }

    @Override
    void restart(int container) {
        moveTo(container, random.nextInt(NODES));
        super.restart(container);
    }

    /** The process of the coordinator, with all that its node serves. */
    @Override
    public void crash() {
        int node = coordinatorNodes.getLast();
        for (int container = 0; container < CONTAINERS; container++) {
            if (owners[container] == node) {
                restart(container);
            }
        }
        processes.set(node, new Process(node));
        super.crash();
    }

    @Override
    public boolean hasWork() {
        return super.hasWork() || network.hasWork();
    }

    @Override
    public void step() {
        if (network.hasWork() && random.nextInt(3) > 0) {
            network.step();
        }
        super.step();
    }

    @Override
    public void calm() {
        super.calm();
        network.calm();
    }
}
