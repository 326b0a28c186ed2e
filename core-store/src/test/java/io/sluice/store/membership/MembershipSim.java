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
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

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
    /** Planted faults that the checks find. */
    enum Bug {
        NONE(true),
        /** Reads are answered whether the lease is held or not. */
        SERVES_PAST_THE_LEASE(false),
        /** Observers take a node for dead after a twentieth of its lease. */
        DEAD_TOO_EARLY(false),
        /** A lease that has lapsed is good again once the node's record is written again. */
        FORGETS_LAPSES(false),
        /** A lease that was taken by a write whose answer was lost stays taken. */
        KEEPS_WHAT_IT_DOES_NOT_KNOW(true),
        /** The next owner does not fence the log: the assignment and leases alone keep writers apart. */
        DOES_NOT_FENCE(false),
        /** Every node assigns, all the time: no fault of safety. */
        ALL_CONTROL(true),
        /** A node that cannot write a log gives the container back, tells nobody, and is assigned it again. */
        SAYS_NOTHING_OF_LOGS(true),
        /** Nodes say that they can write a log without a try. */
        REACHES_UNTRIED(true),
        /** A trial of the log succeeds where writes fail: no fault, for failures are counted. */
        TRIAL_TELLS_NOTHING(true),
        /** The same, and failures are forgotten when a container has left. */
        FORGETS_FAILURES(true);

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
    /** The term that fenced the log last: appends of earlier ones are refused. */
    private final long[] fencedBy = new long[CONTAINERS];
    /** The term whose owner has read the log: what earlier ones append now is lost. */
    private final long[] readBy = new long[CONTAINERS];
    /** Notifications that are on their way. */
    private final ArrayDeque<Runnable> late = new ArrayDeque<>();
    /** Appends that have not reached the log. */
    private final ArrayDeque<Runnable> onTheirWay = new ArrayDeque<>();

    private final List<Node> nodes = new ArrayList<>();
    private boolean faults = true;
    private long nanos = 1_000_000_000L;
    private int depth;
    /** Latest events, for the message of a failure. */
    private final ArrayDeque<String> trace = new ArrayDeque<>();

    private int incarnations;
    /** How many times a container got another owner. */
    int takeovers;
    /** How many times the assignment was changed. */
    int moves;

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
        Node first = nodes.getFirst();
        first.logAway = true;
        rounds(200);
        expectFewMoves("one node has no log", 2 * CONTAINERS);
        expectServedWhereAssigned();
        if (nodes.stream().anyMatch(node -> node.logAway && !node.tenures.isEmpty())) {
            throw new AssertionError("a node without a log is said to serve: " + nodes);
        }
        nodes.forEach(node -> node.logAway = true);
        expectFewMoves("no node has a log", (bug == Bug.TRIAL_TELLS_NOTHING ? 3 * NODES : 1) * CONTAINERS);
        nodes.getLast().logAway = false;
        if (bug != Bug.TRIAL_TELLS_NOTHING) {
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

    private Node anyNode() {
        return nodes.get(random.nextInt(nodes.size()));
    }

    private void settle() throws Exception {
        faults = false;
        late.forEach(Runnable::run);
        late.clear();
        for (Node node : nodes) {
            node.recover();
        }
        rounds(400);
        expectServedWhereAssigned();
    }

    private void rounds(int count) throws Exception {
        for (int round = 0; round < count; round++) {
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
        private long logAwayUntil;
        /** Until the end. */
        private boolean logAway;

        private boolean busy;
        private LogReach reach = new LogReach(clock);

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
                    if (random.nextInt(3) == 0) {
                        write();
                    }
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
            reach = new LogReach(clock);
            tell(State.UP);
            seen = new LiveNodes(link, bug == Bug.DEAD_TOO_EARLY ? clock(20) : clock, () -> {});
            owners = new ContainerOwners(link, container -> {}, () -> {});
            controller = new Controller(link, lease, seen, clock);
        }

        void renew() throws IOException {
            if (lease != null && !lease.renew()) {
                kill();
            }
        }

        /** An append that was let in while the lease was held reaches the log later. */
        private void write() {
            int container = random.nextInt(CONTAINERS);
            Tenure tenure = tenures.get(container);
            if (tenure == null || !mayServe(container) || isLogAway()) {
                return;
            }
            onTheirWay.add(() -> reachLog(container, tenure.term));
        }

        private void reachLog(int container, long term) {
            boolean taken = fencedBy[container] <= term;
            if (taken && readBy[container] > term) {
                throw new AssertionError(
                        "an append to container %d in term %d is acknowledged and lost: term %d has read the log; before: %s"
                                .formatted(container, term, readBy[container], trace));
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
                controller.round(this::isServedBy);
            }
            appendToLogs();
            tryLogs(own, seen);
            Assignment assignment = Assignment.read(link).assignment();
            if (bug == Bug.FORGETS_FAILURES && assignment.of(name).isEmpty()) {
                reach = new LogReach(clock);
            }
            for (int container = 0; container < CONTAINERS; container++) {
                follow(container, name.equals(assignment.nodeOf(container)), own, seen);
            }
        }

        private boolean isLogAway() {
            return logAway || nanos < logAwayUntil;
        }

        /** Clients write to every container now and then. */
        private void appendToLogs() throws IOException {
            for (Map.Entry<Integer, Tenure> each : List.copyOf(tenures.entrySet())) {
                if (isLogAway() && random.nextBoolean()) {
                    tenures.remove(each.getKey());
                    reach.failed(each.getKey());
                    each.getValue().lease.release();
                }
            }
        }

        private void tryLogs(NodeLease own, LiveNodes live) throws IOException {
            Set<Integer> missedElsewhere = new TreeSet<>();
            for (LiveNodes.Node each : live.alive()) {
                if (!each.identity().equals(own.self())) {
                    missedElsewhere.addAll(LogReach.told(each.record(), LogReach.MISSED));
                }
            }
            Set<Integer> asked = reach.inDoubt(layout(), missedElsewhere);
            boolean trialTells = bug != Bug.TRIAL_TELLS_NOTHING && bug != Bug.FORGETS_FAILURES;
            reach.tried(asked, trialTells && isLogAway() ? Set.of() : asked);
            tell(own.record().state());
        }

        private void tell(State state) {
            Map<String, String> facts = new HashMap<>();
            if (bug == Bug.REACHES_UNTRIED) {
                facts.put(LogReach.REACHED, "0 1 2 3 4");
            }
            if (bug != Bug.SAYS_NOTHING_OF_LOGS) {
                reach.facts().forEach(facts::putIfAbsent);
            }
            facts.values().removeIf(String::isEmpty);
            if (lease != null) {
                lease.tell(state, facts);
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
                    new TreeSet<>(layout()),
                    Set.of(),
                    Map.of(),
                    members,
                    stored.assignment(),
                    AssignmentPlan.Evening.BY_LOAD);
            try {
                next.write(link, stored.version());
            } catch (Metadata.VersionMismatch anotherWasFirst) {
                return;
            }
        }

        private boolean isServedBy(int container, String node) {
            ContainerOwners.Owner owner = owners == null ? null : owners.of(container);
            return owner != null && owner.serving() && owner.process().nodeId().equals(node);
        }

        private void follow(int container, boolean assigned, NodeLease own, LiveNodes live) throws IOException {
            Tenure tenure = tenures.get(container);
            if (tenure != null && (!assigned || !tenure.lease.held())) {
                tenures.remove(container);
                tenure.lease.release();
            } else if (tenure == null && !assigned) {
                releaseUnknown(container, own, live);
            } else if (tenure == null && reach.mayOpen(container)) {
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
            if (isLogAway()) {
                reach.failed(container);
                taken.release();
                return;
            }
            long term = ++newestTerm[container];
            takeovers++;
            trace(this, "opens " + container + " in term " + term);
            check();
            own.meanwhile();
            if (own.dead) {
                return;
            }
            if (fencedBy[container] > term) {
                taken.release();
                return;
            }
            if (bug != Bug.DOES_NOT_FENCE) {
                fencedBy[container] = term;
            }
            readBy[container] = Math.max(readBy[container], term);
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
            switch (random.nextInt(6)) {
                case 0 -> kill();
                case 1 -> pausedUntil = nanos + some;
                case 2 -> cutUntil = nanos + some;
                case 3 -> {
                    if (lease != null) {
                        tell(random.nextBoolean() ? State.DRAINING : State.UP);
                    }
                }
                case 4 -> logAwayUntil = nanos + some;
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
            logAwayUntil = 0;
            while (lease == null) {
                start();
            }
            tell(State.UP);
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
            if (!late.isEmpty() && random.nextInt(3) == 0) {
                late.remove().run();
            }
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
            if (path.equals(Assignment.ROOT + "/containers")) {
                moves++;
            }
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
                    } else if (faults && random.nextInt(4) == 0) {
                        late.add(() -> watcher.changed(path));
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
