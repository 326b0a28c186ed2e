package io.sluice.store.membership;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.store.cluster.InMemoryMetadata;
import io.sluice.store.cluster.Lease;
import io.sluice.store.cluster.LeaseClock;
import io.sluice.store.cluster.Leases.Attempt;
import io.sluice.store.cluster.Metadata;
import io.sluice.store.cluster.NodeIdentity;
import io.sluice.store.cluster.StoreLayout;
import io.sluice.store.membership.NodeRecord.State;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A whole cluster in one thread, by a seed: nodes with the real leases, observers and controllers over one metadata store, and for each
 * container a log that fences by terms. Time passes and other nodes go on in the middle of every operation on the metadata; operations fail
 * before and after they took effect; watches are lost; nodes are killed, paused, cut off, drained, started anew; their times of day differ
 * by hours.
 *
 * <p>Checked all the time: a node that may answer reads of a container has its newest term. At the end, without faults: every container is
 * served, by the node that it is assigned to.
 */
final class MembershipSim {
    /** Planted faults that the checks find. */
    enum Bug {
        NONE(true),
        /** Reads are answered whether the lease is held or not. */
        SERVES_PAST_THE_LEASE(false),
        /** Observers take a node for dead after an eighth of its lease. */
        DEAD_TOO_EARLY(false),
        /** A lease that has lapsed is good again once the node's record is written again. */
        FORGETS_LAPSES(false),
        /** A lease that was taken by a write whose answer was lost stays taken. */
        KEEPS_WHAT_IT_DOES_NOT_KNOW(true),
        /** Every node assigns, all the time: no fault of safety. */
        ALL_CONTROL(true);

        /** Whether the end is checked, too: it says nothing of faults that show before. */
        private final boolean endsWell;

        Bug(boolean endsWell) {
            this.endsWell = endsWell;
        }
    }

    private static final Duration LEASE = Duration.ofMillis(20);
    private static final int CONTAINERS = 5;
    private static final int NODES = 3;

    private final Random random;
    private final Bug bug;
    private final InMemoryMetadata store = new InMemoryMetadata();
    private final long[] newestTerm = new long[CONTAINERS];
    private final List<Node> nodes = new ArrayList<>();
    private boolean faults = true;
    private long nanos = 1_000_000_000L;
    private int depth;
    /** Latest events, for the message of a failure. */
    private final ArrayDeque<String> trace = new ArrayDeque<>();

    private int incarnations;
    /** How many times a container got another owner. */
    int takeovers;

    MembershipSim(long seed, Bug bug) throws IOException {
        random = new Random(seed);
        this.bug = bug;
        StoreLayout.readOrInitialise(store, CONTAINERS, () -> new UUID(7, 7));
        for (int number = 0; number < NODES; number++) {
            nodes.add(new Node(number));
        }
    }

    /** A right to serve, and the term that was taken by it. */
    private record Tenure(Lease lease, long term) {}

    void run(int steps) throws Exception {
        for (int step = 0; step < steps; step++) {
            anyNode().step();
            pass(random.nextInt(3) == 0 ? LEASE.toNanos() / 8 : LEASE.toNanos() / 40);
            if (random.nextInt(25) == 0) {
                anyNode().suffer();
            }
        }
        if (bug.endsWell) {
            settle();
        }
    }

    private Node anyNode() {
        return nodes.get(random.nextInt(nodes.size()));
    }

    private void settle() throws Exception {
        faults = false;
        for (Node node : nodes) {
            node.recover();
        }
        for (int round = 0; round < 400; round++) {
            for (Node node : nodes) {
                node.renew();
                pass(LEASE.toNanos() / 40);
            }
            for (Node node : nodes) {
                if (node.lease != null && node.lease.held()) {
                    node.round();
                }
                node.renew();
            }
        }
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

    private void pass(long time) {
        nanos += time;
        check();
    }

    private void trace(Node node, String event) {
        trace.add("\n" + nanos / 1_000 + " us, " + node.name + ": " + event);
        if (trace.size() > 60) {
            trace.remove();
        }
    }

    /** Whoever may answer reads has the newest term. */
    private void check() {
        for (Node node : nodes) {
            node.tenures.forEach((container, tenure) -> {
                if (node.mayServe(container) && tenure.term < newestTerm[container]) {
                    throw new AssertionError("%s answers for container %d by term %d, the newest is %d; before: %s"
                            .formatted(node.name, container, tenure.term, newestTerm[container], trace));
                }
            });
        }
    }

    private final class Node {
        final String name;
        final Duration skew = Duration.ofHours(random.nextInt(9) - 4);
        final Map<Integer, Tenure> tenures = new TreeMap<>();
        private Link link = new Link(this);
        private final LeaseClock clock = clock(1);
        private @Nullable NodeLease lease;
        private @Nullable LiveNodes seen;
        private @Nullable ContainerOwners owners;
        private @Nullable Controller controller;
        private long pausedUntil;
        private long cutUntil;
        private boolean busy;

        Node(int number) {
            name = "node-" + number;
        }

        private LeaseClock clock(int speed) {
            return new LeaseClock() {
                @Override
                public Instant now() {
                    return Instant.EPOCH.plusNanos(nanos).plus(skew);
                }

                @Override
                public long nanos() {
                    return nanos * speed;
                }

                @Override
                public void pause(Duration time) {
                    pass(time.toNanos());
                }
            };
        }

        /** Something that its threads may do next. */
        void step() {
            if (busy || nanos < pausedUntil) {
                return;
            }
            busy = true;
            try {
                if (lease == null) {
                    start();
                } else if (random.nextBoolean()) {
                    renew();
                } else {
                    round();
                }
            } catch (IOException unreachable) {
                return;
            } finally {
                busy = false;
            }
        }

        private void start() throws IOException {
            link = new Link(this);
            var self = new NodeIdentity(name, new UUID(1, incarnations++));
            try {
                lease = NodeLease.register(link, self, LEASE, clock, Map.of());
            } catch (NodeLease.NodeRuns earlierWriteCameLate) {
                return;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
            lease.tell(State.UP, Map.of());
            seen = new LiveNodes(link, bug == Bug.DEAD_TOO_EARLY ? clock(8) : clock, () -> {});
            owners = new ContainerOwners(link, container -> {}, () -> {});
            controller = new Controller(link, lease, seen, clock);
        }

        void renew() throws IOException {
            if (lease != null && !lease.renew()) {
                kill();
            }
        }

        void round() throws IOException {
            NodeLease own = lease;
            if (own == null || seen == null || owners == null || controller == null) {
                return;
            }
            if (random.nextBoolean()) {
                seen.readAll();
            } else {
                seen.look();
            }
            if (random.nextInt(10) == 0) {
                owners.readAll();
            }
            owners.look(layout());
            if (bug == Bug.ALL_CONTROL) {
                assignAnyhow(seen);
            } else {
                controller.round(this::isServedWhereAssigned);
            }
            Assignment assignment = Assignment.read(link).assignment();
            for (int container = 0; container < CONTAINERS; container++) {
                follow(container, name.equals(assignment.nodeOf(container)), own, seen);
            }
        }

        private List<Integer> layout() throws IOException {
            StoreLayout layout = StoreLayout.read(link);
            return layout == null ? List.of() : layout.containers();
        }

        private void assignAnyhow(LiveNodes live) throws IOException {
            List<AssignmentPlan.Member> members = live.alive().stream()
                    .map(each -> new AssignmentPlan.Member(each.identity().nodeId(), "", true))
                    .toList();
            Assignment.Stored stored = Assignment.read(link);
            Assignment next = AssignmentPlan.next(
                    new TreeSet<>(layout()), Map.of(), members, stored.assignment(), AssignmentPlan.Evening.BY_LOAD);
            try {
                next.write(link, stored.version());
            } catch (Metadata.VersionMismatch anotherWasFirst) {
                return;
            }
        }

        private boolean isServedWhereAssigned(int container) {
            ContainerOwners.Owner owner = owners == null ? null : owners.of(container);
            return owner != null && owner.serving();
        }

        private void follow(int container, boolean assigned, NodeLease own, LiveNodes live) throws IOException {
            Tenure tenure = tenures.get(container);
            if (tenure != null && (!assigned || !tenure.lease.held())) {
                tenures.remove(container);
                tenure.lease.release();
            } else if (tenure == null && !assigned) {
                releaseUnknown(container, own, live);
            } else if (tenure == null) {
                Attempt attempt = new NodeBoundLeases(link, own, live).acquire(container);
                if (attempt instanceof Attempt.Acquired(Lease taken)) {
                    open(container, taken);
                }
            }
        }

        private void releaseUnknown(int container, NodeLease own, LiveNodes live) throws IOException {
            ContainerOwners.Owner owner = owners == null ? null : owners.of(container);
            if (bug != Bug.KEEPS_WHAT_IT_DOES_NOT_KNOW
                    && owner != null
                    && owner.process().equals(own.self())) {
                new NodeBoundLeases(link, own, live).releaseUnknown(container);
            }
        }

        /** Recovery fences the log: from here on no earlier term writes. */
        private void open(int container, Lease taken) throws IOException {
            Link own = link;
            own.meanwhile();
            if (own.dead || !taken.held()) {
                return;
            }
            long term = ++newestTerm[container];
            takeovers++;
            trace(this, "opens " + container + " in term " + term);
            check();
            tenures.put(container, new Tenure(taken, term));
            taken.tellServing(term);
        }

        @Override
        public String toString() {
            NodeLease own = lease;
            return own == null
                    ? name + " down"
                    : name + " " + own.self().incarnation() + (own.held() ? " alive, " : " lapsed, ")
                            + tenures.keySet();
        }

        boolean mayServe(int container) {
            Tenure tenure = tenures.get(container);
            if (tenure == null) {
                return false;
            }
            return switch (bug) {
                case SERVES_PAST_THE_LEASE -> true;
                case FORGETS_LAPSES -> lease != null && lease.held();
                default -> tenure.lease.held();
            };
        }

        void suffer() throws IOException {
            trace(this, "suffers");
            long some = random.nextInt(6) * LEASE.toNanos() / 2;
            switch (random.nextInt(5)) {
                case 0 -> kill();
                case 1 -> pausedUntil = nanos + some;
                case 2 -> cutUntil = nanos + some;
                case 3 -> {
                    if (lease != null) {
                        lease.tell(random.nextBoolean() ? State.DRAINING : State.UP, Map.of());
                    }
                }
                default -> leave();
            }
        }

        /** Its threads end where they are, also in the middle of an operation, which may still take effect. */
        private void kill() {
            link.dead = true;
            lease = null;
            tenures.clear();
        }

        private void leave() throws IOException {
            if (busy || lease == null || controller == null) {
                return;
            }
            busy = true;
            try {
                tenures.clear();
                controller.release();
                lease.leave();
            } catch (IOException unreachable) {
                return;
            } finally {
                kill();
                busy = false;
            }
        }

        void recover() throws Exception {
            pausedUntil = 0;
            cutUntil = 0;
            while (lease == null) {
                start();
            }
            lease.tell(State.UP, Map.of());
        }
    }

    /** A node's way to the metadata. */
    private final class Link implements Metadata {
        private final Node node;
        /** The process that had it was killed. */
        private boolean dead;

        Link(Node node) {
            this.node = node;
        }

        /** Time passes, and others go on. */
        private void meanwhile() {
            pass(random.nextInt(LEASE.toNanosPart() / 500));
            if (faults && depth < 3 && random.nextInt(6) == 0) {
                depth++;
                for (int steps = random.nextInt(12); steps > 0; steps--) {
                    anyNode().step();
                    pass(random.nextInt(LEASE.toNanosPart() / 8));
                }
                depth--;
            }
        }

        private void before() throws IOException {
            meanwhile();
            if (dead || nanos < node.cutUntil || faults && random.nextInt(60) == 0) {
                throw new IOException("planted: not reached");
            }
        }

        private void after() throws IOException {
            meanwhile();
            if (dead || faults && random.nextInt(60) == 0) {
                throw new IOException("planted: no answer");
            }
        }

        @Override
        public @Nullable Versioned get(String path) throws IOException {
            before();
            Versioned found = store.get(path);
            after();
            return found;
        }

        @Override
        public long put(String path, byte[] value, long expectedVersion) throws IOException {
            trace(node, "writes " + path);
            before();
            long version = store.put(path, value, expectedVersion);
            trace(node, "has written " + path + " " + new String(value, UTF_8) + ", version " + version);
            after();
            return version;
        }

        @Override
        public void delete(String path, long expectedVersion) throws IOException {
            store.delete(path, expectedVersion);
        }

        @Override
        public List<String> children(String path) throws IOException {
            before();
            return store.children(path);
        }

        @Override
        public Watch watch(String root, Watcher watcher) {
            Map<String, Boolean> lost = new HashMap<>();
            return store.watch(root, new Watcher() {
                @Override
                public void changed(String path) {
                    if (faults && random.nextInt(4) == 0) {
                        lost.put(path, true);
                    } else {
                        watcher.changed(path);
                    }
                    if (!lost.isEmpty() && random.nextInt(4) == 0) {
                        lost.clear();
                        watcher.missed();
                    }
                }

                @Override
                public void missed() {
                    watcher.missed();
                }
            });
        }

        @Override
        public void close() {}
    }
}
