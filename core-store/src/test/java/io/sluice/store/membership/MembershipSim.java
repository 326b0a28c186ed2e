package io.sluice.store.membership;

import io.sluice.store.cluster.InMemoryMetadata;
import io.sluice.store.cluster.StoreLayout;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;

/**
 * A whole cluster in one thread, by a seed: nodes with the real leases, observers and controllers over one metadata store, and for each
 * container a log that fences by terms. Time passes and other nodes go on in the middle of every operation on the metadata; operations fail
 * before and after they took effect; notifications come late or never; several nodes take themselves for the controller; nodes are killed, paused, cut off from the metadata or the log, drained, started anew;
 * their times of day differ by hours.
 *
 * <p>Checked all the time: a node that may answer reads of a container has its newest term, and no append is acknowledged that the next owner has
 * not read. At the end, without faults: every container is served, by the node that it is assigned to.
 *
 * <p>What else nodes do to each other is simulated where its code is: requests that are lost, doubled and late in {@code TransactionSim}; changes
 * of topics that another node finishes, or two at the same time, in {@code SplitSim}.
 */
final class MembershipSim {

    static final Duration LEASE = Duration.ofMillis(20);
    static final int CONTAINERS = 5;
    private static final int NODES = 3;

    final Random random;
    final MembershipSimBug bug;
    final InMemoryMetadata store = new InMemoryMetadata();
    final long[] newestTerm = new long[CONTAINERS];
    /** The term that fenced the log last: appends of earlier ones are refused. */
    final long[] fencedBy = new long[CONTAINERS];
    /** The term whose owner has read the log: what earlier ones append now is lost. */
    final long[] readBy = new long[CONTAINERS];
    /** Notifications that are on their way. */
    final ArrayDeque<Runnable> late = new ArrayDeque<>();
    /** Appends that have not reached the log. */
    final ArrayDeque<Runnable> onTheirWay = new ArrayDeque<>();

    private final List<SimulatedNode> nodes = new ArrayList<>();
    boolean faults = true;
    long nanos = 1_000_000_000L;
    int depth;
    /** Latest events, for the message of a failure. */
    final ArrayDeque<String> trace = new ArrayDeque<>();

    int incarnations;
    /** How many times a container got another owner. */
    int takeovers;
    /** How many times the assignment was changed. */
    int moves;

    MembershipSim(long seed, MembershipSimBug bug) throws IOException {
        random = new Random(seed);
        this.bug = bug;
        StoreLayout.readOrInitialise(store, CONTAINERS, () -> new UUID(7, 7));
        for (int number = 0; number < NODES; number++) {
            nodes.add(new SimulatedNode(this, number));
        }
    }

    void run(int steps) throws Exception {
        for (int step = 0; step < steps; step++) {
            anyNode().step();
            while (onTheirWay.size() > random.nextInt(40)) {
                onTheirWay.remove().run();
            }
            pass(random.nextInt(3) == 0 ? LEASE.toNanos() / 8 : LEASE.toNanos() / 40);
            if (random.nextInt(25) == 0) {
                anyNode().suffer();
            }
        }
        if (bug.endsWell) {
            settle();
        }
    }

    /** To be called after a run: one node loses its way to the log, then all do, then one node after the other is back. */
    void loseLogs() throws Exception {
        SimulatedNode first = nodes.getFirst();
        first.logAway = true;
        rounds(200);
        expectFewMoves("one node has no log", 2 * CONTAINERS);
        expectServedWhereAssigned();
        if (nodes.stream().anyMatch(node -> node.logAway && !node.tenures.isEmpty())) {
            throw new AssertionError("a node without a log is said to serve: " + nodes);
        }
        nodes.forEach(node -> node.logAway = true);
        expectFewMoves("no node has a log", (bug == MembershipSimBug.TRIAL_TELLS_NOTHING ? 3 * NODES : 1) * CONTAINERS);
        nodes.getLast().logAway = false;
        if (bug != MembershipSimBug.TRIAL_TELLS_NOTHING) {
            rounds(200);
            expectServedWhereAssigned();
        }
        nodes.forEach(node -> node.logAway = false);
        nanos += Duration.ofHours(1).toNanos();
        rounds(400);
        expectServedWhereAssigned();
        if (nodes.stream().anyMatch(node -> node.tenures.isEmpty())) {
            throw new AssertionError("a node that has its log again got no containers: " + nodes);
        }
    }

    private void expectFewMoves(String when, int most) throws Exception {
        int before = moves;
        rounds(300);
        if (moves - before > most) {
            throw new AssertionError("%s: containers were moved %d times".formatted(when, moves - before));
        }
    }

    SimulatedNode anyNode() {
        return nodes.get(random.nextInt(nodes.size()));
    }

    private void settle() throws Exception {
        faults = false;
        late.forEach(Runnable::run);
        late.clear();
        for (SimulatedNode node : nodes) {
            node.recover();
        }
        rounds(400);
        expectServedWhereAssigned();
    }

    private void rounds(int count) throws Exception {
        for (int round = 0; round < count; round++) {
            for (SimulatedNode node : nodes) {
                node.renew();
                pass(LEASE.toNanos() / 40);
            }
            for (SimulatedNode node : nodes) {
                if (node.lease != null && node.lease.held()) {
                    node.round();
                }
                node.renew();
            }
        }
    }

    private void expectServedWhereAssigned() throws IOException {
        Assignment assignment = Assignment.read(store).assignment();
        for (int container = 0; container < CONTAINERS; container++) {
            String assigned = assignment.nodeOf(container);
            int c = container;
            if (nodes.stream().noneMatch(node -> node.name.equals(assigned) && node.mayServe(c))) {
                throw new AssertionError("container %d is not served by %s, but held by %s; nodes: %s"
                        .formatted(container, assigned, ContainerOwners.read(store, container), nodes));
            }
        }
    }

    void pass(long time) {
        nanos += time;
        check();
    }

    void trace(SimulatedNode node, String event) {
        trace.add("\n" + nanos / 1_000 + " us, " + node.name + ": " + event);
        if (trace.size() > 60) {
            trace.remove();
        }
    }

    /** Whoever may answer reads has the newest term. */
    void check() {
        for (SimulatedNode node : nodes) {
            node.tenures.forEach((container, tenure) -> {
                if (node.mayServe(container) && tenure.term() < newestTerm[container]) {
                    throw new AssertionError("%s answers for container %d by term %d, the newest is %d; before: %s"
                            .formatted(node.name, container, tenure.term(), newestTerm[container], trace));
                }
            });
        }
    }
}
