package io.sluice.store.membership;

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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A node of a {@link MembershipSim}: its lease, what it sees of others, and the containers that it serves. */
final class SimulatedNode {
    private static final Duration LEASE = MembershipSim.LEASE;
    private static final int CONTAINERS = MembershipSim.CONTAINERS;

    private final MembershipSim sim;
    final String name;
    private final Duration skew;
    final Map<Integer, Tenure> tenures = new TreeMap<>();
    private SimulatedLink link;
    private final LeaseClock clock;

    @Nullable
    NodeLease lease;

    private @Nullable LiveNodes seen;
    private @Nullable ContainerOwners owners;
    private @Nullable Controller controller;
    private long pausedUntil;
    long cutUntil;
    private long logAwayUntil;
    /** Until the end. */
    boolean logAway;

    private boolean busy;
    private LogReach reach;

    /** A right to serve, and the term that was taken by it. */
    record Tenure(Lease lease, long term) {}

    SimulatedNode(MembershipSim sim, int number) {
        this.sim = sim;
        skew = Duration.ofHours(sim.random.nextInt(9) - 4);
        clock = clock(1);
        reach = new LogReach(clock);
        link = new SimulatedLink(sim, this);
        name = "node-" + number;
    }

    private LeaseClock clock(int speed) {
        return new LeaseClock() {
            @Override
            public Instant now() {
                return Instant.EPOCH.plusNanos(sim.nanos).plus(skew);
            }

            @Override
            public long nanos() {
                return sim.nanos * speed;
            }

            @Override
            public void pause(Duration time) {
                sim.pass(time.toNanos());
            }
        };
    }

    /** Something that its threads may do next. */
    void step() {
        if (busy || sim.nanos < pausedUntil) {
            return;
        }
        busy = true;
        try {
            if (lease == null) {
                start();
            } else if (sim.random.nextBoolean()) {
                renew();
            } else {
                if (sim.random.nextInt(3) == 0) {
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
        link = new SimulatedLink(sim, this);
        var self = new NodeIdentity(name, new UUID(1, sim.incarnations++));
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
        seen = new LiveNodes(link, sim.bug == MembershipSimBug.DEAD_TOO_EARLY ? clock(20) : clock, () -> {});
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
        int container = sim.random.nextInt(CONTAINERS);
        Tenure tenure = tenures.get(container);
        if (tenure == null || !mayServe(container) || isLogAway()) {
            return;
        }
        sim.onTheirWay.add(() -> reachLog(container, tenure.term));
    }

    private void reachLog(int container, long term) {
        boolean taken = sim.fencedBy[container] <= term;
        if (taken && sim.readBy[container] > term) {
            throw new AssertionError(
                    "an append to container %d in term %d is acknowledged and lost: term %d has read the log; before: %s"
                            .formatted(container, term, sim.readBy[container], sim.trace));
        }
    }

    void round() throws IOException {
        NodeLease own = lease;
        if (own == null || seen == null || owners == null || controller == null) {
            return;
        }
        if (sim.random.nextBoolean()) {
            seen.readAll();
        } else {
            seen.look();
        }
        if (sim.random.nextInt(10) == 0) {
            owners.readAll();
        }
        owners.look(layout());
        if (sim.bug == MembershipSimBug.ALL_CONTROL) {
            assignAnyhow(seen);
        } else {
            controller.round(this::isServedBy);
        }
        appendToLogs();
        tryLogs(own, seen);
        Assignment assignment = Assignment.read(link).assignment();
        if (sim.bug == MembershipSimBug.FORGETS_FAILURES && assignment.of(name).isEmpty()) {
            reach = new LogReach(clock);
        }
        for (int container = 0; container < CONTAINERS; container++) {
            follow(container, name.equals(assignment.nodeOf(container)), own, seen);
        }
    }

    private boolean isLogAway() {
        return logAway || sim.nanos < logAwayUntil;
    }

    /** Clients write to every container now and then. */
    private void appendToLogs() throws IOException {
        for (Map.Entry<Integer, Tenure> each : List.copyOf(tenures.entrySet())) {
            if (isLogAway() && sim.random.nextBoolean()) {
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
        boolean trialTells =
                sim.bug != MembershipSimBug.TRIAL_TELLS_NOTHING && sim.bug != MembershipSimBug.FORGETS_FAILURES;
        reach.tried(asked, trialTells && isLogAway() ? Set.of() : asked);
        tell(own.record().state());
    }

    private void tell(State state) {
        Map<String, String> facts = new HashMap<>();
        if (sim.bug == MembershipSimBug.REACHES_UNTRIED) {
            facts.put(LogReach.REACHED, "0 1 2 3 4");
        }
        if (sim.bug != MembershipSimBug.SAYS_NOTHING_OF_LOGS) {
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
        if (sim.bug != MembershipSimBug.KEEPS_WHAT_IT_DOES_NOT_KNOW
                && owner != null
                && owner.process().equals(own.self())) {
            new NodeBoundLeases(link, own, live).releaseUnknown(container);
        }
    }

    /** Recovery fences the log: from here on no earlier term writes. */
    private void open(int container, Lease taken) throws IOException {
        SimulatedLink own = link;
        own.meanwhile();
        if (own.dead || !taken.held()) {
            return;
        }
        if (isLogAway()) {
            reach.failed(container);
            taken.release();
            return;
        }
        long term = ++sim.newestTerm[container];
        sim.takeovers++;
        sim.trace(this, "opens " + container + " in term " + term);
        sim.check();
        own.meanwhile();
        if (own.dead) {
            return;
        }
        if (sim.fencedBy[container] > term) {
            taken.release();
            return;
        }
        if (sim.bug != MembershipSimBug.DOES_NOT_FENCE) {
            sim.fencedBy[container] = term;
        }
        sim.readBy[container] = Math.max(sim.readBy[container], term);
        tenures.put(container, new Tenure(taken, term));
        taken.tellServing(term);
    }

    @Override
    public String toString() {
        NodeLease own = lease;
        return own == null
                ? name + " down"
                : name + " " + own.self().incarnation() + (own.held() ? " alive, " : " lapsed, ") + tenures.keySet();
    }

    boolean mayServe(int container) {
        Tenure tenure = tenures.get(container);
        if (tenure == null) {
            return false;
        }
        return switch (sim.bug) {
            case SERVES_PAST_THE_LEASE -> true;
            case FORGETS_LAPSES -> lease != null && lease.held();
            default -> tenure.lease.held();
        };
    }

    void suffer() throws IOException {
        sim.trace(this, "suffers");
        long some = sim.random.nextInt(6) * LEASE.toNanos() / 2;
        switch (sim.random.nextInt(6)) {
            case 0 -> kill();
            case 1 -> pausedUntil = sim.nanos + some;
            case 2 -> cutUntil = sim.nanos + some;
            case 3 -> {
                if (lease != null) {
                    tell(sim.random.nextBoolean() ? State.DRAINING : State.UP);
                }
            }
            case 4 -> logAwayUntil = sim.nanos + some;
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
