package io.sluice.server.membership;

import io.sluice.broker.cluster.Cluster;
import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.cluster.Endpoint;
import io.sluice.broker.cluster.Refusals;
import io.sluice.server.containers.LogAttempts;
import io.sluice.server.containers.ServedContainers;
import io.sluice.store.cluster.LeaseClock;
import io.sluice.store.cluster.Leases;
import io.sluice.store.cluster.Metadata;
import io.sluice.store.cluster.NodeIdentity;
import io.sluice.store.cluster.StoreLayout;
import io.sluice.store.membership.Assignment;
import io.sluice.store.membership.ContainerOwners;
import io.sluice.store.membership.Controller;
import io.sluice.store.membership.LiveNodes;
import io.sluice.store.membership.NodeBoundLeases;
import io.sluice.store.membership.NodeLease;
import io.sluice.store.membership.NodeRecord.State;
import io.sluice.store.wal.WalStore;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This node among the others: keeps its lease, sees which others are alive and who owns which container, serves what is assigned to it, and
 * assigns if it is the controller.
 *
 * <pre>
 *   join ──► STARTING ──(serve)──► containers follow the assignment ──(up)──► UP ──(drain)──► DRAINING ──(close)──► DOWN
 * </pre>
 */
public final class Membership implements Cluster, AutoCloseable {
    /** How long a node is taken for alive after it wrote its record: two pauses of half a second in a row are not its end. */
    public static final Duration LEASE = Duration.ofMillis(1_500);

    private static final Logger log = LoggerFactory.getLogger(Membership.class);
    private static final Duration TURN = LEASE.dividedBy(6);
    /** Between two rounds: a node whose end cannot be read does not have them follow each other without one. */
    private static final Duration LEAST_PAUSE = Duration.ofMillis(5);

    private static final Duration READ_ALL = Duration.ofSeconds(5);
    private static final Duration LOADS = Duration.ofSeconds(5);

    private final Metadata metadata;
    private final String clusterId;
    private final NodeLease lease;
    private final OwnRecord record;
    private final LiveNodes nodes;
    private final ContainerOwners owners;
    private final Metadata.Watch assigned;
    private final Controller controller;
    private final NodeBoundLeases leases;
    private final LogTrials logTrials;
    private final TierTrials tierTrials;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private final Semaphore wake = new Semaphore(0);
    private final CountDownLatch closed = new CountDownLatch(1);
    private final CountDownLatch firstRound = new CountDownLatch(1);
    private final CompletableFuture<String> broken = new CompletableFuture<>();
    private final AtomicBoolean assignmentTold = new AtomicBoolean();
    private volatile Assignment assignment = Assignment.NONE;
    private volatile List<ClusterNode> members = List.of();
    private volatile @Nullable ServedContainers containers;
    private volatile Refusals refusals = node -> OptionalLong.empty();
    private @Nullable LoadOfContainers load;
    private @Nullable StoreLayout layout;
    private long turnAt;
    private long readAllAt = System.nanoTime();
    private long loadsAt = System.nanoTime();

    private Membership(Metadata metadata, String clusterId, NodeLease lease) {
        this.metadata = metadata;
        this.clusterId = clusterId;
        this.lease = lease;
        record = new OwnRecord(lease, TURN, broken::complete);
        turnAt = System.nanoTime();
        nodes = new LiveNodes(metadata, LeaseClock.SYSTEM, wake::release);
        owners = new ContainerOwners(metadata, this::changedHands, wake::release);
        assigned = metadata.watch(Assignment.ROOT, new Metadata.Watcher() {
            @Override
            public void changed(String path) {
                missed();
            }

            @Override
            public void missed() {
                assignmentTold.set(true);
                wake.release();
            }
        });
        controller = new Controller(metadata, lease, nodes, LeaseClock.SYSTEM);
        leases = new NodeBoundLeases(metadata, lease, nodes);
        logTrials = new LogTrials(lease.self().nodeId(), nodes, record::tell);
        tierTrials = new TierTrials(lease.self().nodeId(), nodes, record::tell);
    }

    /**
     * Takes this node's place in the cluster; waits until the lease of an earlier process of the node has run out.
     *
     * @param rack empty if it is not known
     * @param version of this process, for people
     * @param session with the metadata store
     * @throws NodeLease.NodeRuns another process of the node is alive
     */
    public static Membership join(
            Metadata metadata,
            String clusterId,
            NodeIdentity self,
            String rack,
            String version,
            MetadataSession session)
            throws IOException, InterruptedException, NodeLease.NodeRuns {
        Map<String, String> facts = NodeFacts.of(rack, version);
        NodeLease lease = NodeLease.register(metadata, self, LEASE, LeaseClock.SYSTEM, facts);
        var membership = new Membership(metadata, clusterId, lease);
        membership.nodes.readAll();
        membership.showMembers();
        membership.record.start();
        var lost = new LostSession(
                () -> lease.held() && session.isThere(),
                session::isStoreThere,
                trial -> Thread.ofVirtual().name("try-metadata").start(trial));
        Thread.ofVirtual().name("watch-session").start(() -> membership.watch(lost));
        return membership;
    }

    /** Leases of containers for this process, which last as long as this node's. */
    public Leases leases() {
        return leases;
    }

    /** Completes with the reason, in one line, when this process has no place in the cluster any more. */
    public CompletableFuture<String> broken() {
        return broken;
    }

    /** Attempts at containers whose logs do not answer this node: others may reach them. */
    public LogAttempts logAttempts() {
        return logTrials;
    }

    /** Has the containers follow the assignment from now on; returns when they know the first one. */
    public void serve(ServedContainers served, WalStore logs, TierAnswers tier) throws InterruptedException {
        containers = served;
        load = new LoadOfContainers(served);
        logTrials.start(logs, served);
        tierTrials.start(tier);
        Thread.ofPlatform().daemon().name("membership").start(this::follow);
        firstRound.await();
    }

    /** Takes containers from others from now on. */
    public void up() {
        record.tell(State.UP);
    }

    /**
     * Gives all containers to other nodes, if there are any that take them; blocks.
     *
     * @return whether this node serves none any more
     */
    public boolean drain(Duration atMost) throws InterruptedException {
        record.tell(State.DRAINING);
        long deadline = System.nanoTime() + atMost.toNanos();
        while (System.nanoTime() - deadline < 0 && hasHeirs()) {
            if (servesNothing()) {
                log.info("All containers are served by other nodes");
                return true;
            }
            Thread.sleep(5);
        }
        return servesNothing();
    }

    private boolean hasHeirs() {
        return nodes.alive().stream()
                .anyMatch(each ->
                        !each.identity().equals(lease.self()) && each.record().state() == State.UP);
    }

    private boolean servesNothing() {
        ServedContainers served = containers;
        return served == null
                || assignment.of(lease.self().nodeId()).isEmpty()
                        && served.served().isEmpty()
                        && assignment.nodes().keySet().stream().allMatch(this::isServedWhereAssigned);
    }

    private void watch(LostSession lost) {
        try {
            while (!closed.await(LostSession.LOOK.toMillis(), TimeUnit.MILLISECONDS)) {
                if (lost.look()) {
                    broken.complete(
                            "this process does not get its session with the metadata store back although the store"
                                    + " answers: start it again");
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    // ---- rounds: what others are and do, and what follows from it ----

    private void follow() {
        boolean failed = false;
        try {
            while (closed.getCount() > 0) {
                boolean turn = System.nanoTime() - turnAt >= 0;
                try {
                    round(turn);
                    firstRound.countDown();
                    if (failed) {
                        log.info("The cluster's records are read again");
                    }
                    failed = false;
                } catch (IOException | RuntimeException e) {
                    if (!failed) {
                        log.warn("The cluster's records cannot be read until further notice: {}", e.toString());
                    }
                    failed = true;
                }
                if (turn || failed) {
                    turnAt = System.nanoTime() + TURN.toNanos();
                }
                if (failed) {
                    boolean ignored = closed.await(TURN.toNanos(), TimeUnit.NANOSECONDS);
                } else {
                    boolean ignored = wake.tryAcquire(untilNextRound(), TimeUnit.NANOSECONDS);
                }
                wake.drainPermits();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The next turn, or the moment when a node that does not renew its lease is dead. */
    private long untilNextRound() {
        long turn = turnAt - System.nanoTime();
        return Math.max(
                LEAST_PAUSE.toNanos(), Math.min(turn, nodes.untilNextEnd().toNanos()));
    }

    /** @param turn reads all; else what the metadata has told of */
    private void round(boolean turn) throws IOException {
        boolean nodesChanged = turn ? nodes.readAll() : nodes.look();
        boolean changed = showMembers();
        StoreLayout current = layout(turn);
        if (System.nanoTime() - readAllAt > READ_ALL.toNanos()) {
            readAllAt = System.nanoTime();
            owners.readAll();
        }
        boolean ownersChanged = owners.look(current.containers());
        if (turn || nodesChanged) {
            controller.round(this::isServedBy);
        }
        if (assignmentTold.getAndSet(false) || turn || nodesChanged) {
            readAssignment();
        }
        ServedContainers served = containers;
        if (served != null) {
            releaseUnknown(served, current.containers());
            served.take(current);
            served.assign(assignment.of(lease.self().nodeId()));
            if (nodesChanged) {
                served.wake();
                logTrials.wake();
            }
            tellLoad();
        }
        if (changed || ownersChanged) {
            listeners.forEach(Runnable::run);
        }
    }

    private StoreLayout layout(boolean read) throws IOException {
        StoreLayout known = layout;
        if (read || known == null) {
            known = StoreLayout.read(metadata);
            if (known == null) {
                throw new IOException("the layout of the store is missing");
            }
            layout = known;
        }
        return known;
    }

    private void readAssignment() throws IOException {
        try {
            assignment = Assignment.read(metadata).assignment();
        } catch (IOException | RuntimeException e) {
            assignmentTold.set(true);
            throw e;
        }
    }

    /** Its next owner need not wait for a round. */
    private void changedHands(int container) {
        ServedContainers served = containers;
        if (served != null) {
            served.wake(container);
        }
    }

    private void releaseUnknown(ServedContainers served, List<Integer> all) throws IOException {
        for (int container : all) {
            ContainerOwners.Owner owner = owners.of(container);
            if (owner != null && owner.process().equals(lease.self()) && !served.isKept(container)) {
                leases.releaseUnknown(container);
            }
        }
    }

    private void tellLoad() {
        if (load != null && System.nanoTime() - loadsAt > LOADS.toNanos()) {
            loadsAt = System.nanoTime();
            record.tell(Controller.LOAD, load.measure());
        }
    }

    private boolean isServedWhereAssigned(int container) {
        String assigned = assignment.nodeOf(container);
        return assigned != null && isServedBy(container, assigned);
    }

    private boolean isServedBy(int container, String node) {
        ContainerOwners.Owner owner = owners.of(container);
        return owner != null && owner.serving() && owner.process().nodeId().equals(node);
    }

    /** Says whether they are others now, or say something else of themselves. */
    private synchronized boolean showMembers() {
        ClusterNode self = NodeFacts.node(new LiveNodes.Node(lease.self(), lease.record()));
        List<ClusterNode> now = new ArrayList<>(List.of(self));
        nodes.alive().stream()
                .filter(each -> !each.identity().nodeId().equals(lease.self().nodeId()))
                .forEach(each -> now.add(NodeFacts.node(each)));
        now.sort(Comparator.comparingInt(ClusterNode::id));
        boolean changed = !now.equals(members);
        members = List.copyOf(now);
        return changed;
    }

    // ---- the port ----

    @Override
    public String id() {
        return clusterId;
    }

    @Override
    public ClusterNode self() {
        ClusterNode self = alive(lease.self());
        if (self == null) {
            throw new IllegalStateException("this node is not among those that it knows");
        }
        return self;
    }

    @Override
    public List<ClusterNode> nodes() {
        return members;
    }

    /** Not while its own lease has run out: what it knows may be old. */
    @Override
    public boolean isCurrent() {
        return lease.held();
    }

    @Override
    public @Nullable ClusterNode ownerOf(int container) {
        if (!isCurrent()) {
            return null;
        }
        ContainerOwners.Owner owner = owners.of(container);
        if (owner == null || !owner.serving() || seemsGone(owner.process())) {
            return null;
        }
        return alive(owner.process());
    }

    @Override
    public void consult(Refusals told) {
        refusals = told;
    }

    /** Whether it refuses connections, and has not renewed its lease since. */
    private boolean seemsGone(NodeIdentity process) {
        ClusterNode node = alive(process);
        OptionalLong refusedAt = node == null || isSelf(node) ? OptionalLong.empty() : refusals.refusedAt(node.id());
        return refusedAt.isPresent() && nodes.isQuietSince(process.nodeId(), refusedAt.getAsLong());
    }

    private @Nullable ClusterNode alive(NodeIdentity process) {
        for (ClusterNode each : members) {
            if (each.incarnation().equals(process.incarnation())) {
                return each;
            }
        }
        return null;
    }

    @Override
    public long termOf(int container) {
        ContainerOwners.Owner owner = owners.of(container);
        return owner == null ? -1 : owner.term();
    }

    @Override
    public @Nullable ClusterNode controller() {
        NodeIdentity holder = controller.holder();
        return holder == null ? null : alive(holder);
    }

    @Override
    public void advertise(String listener, Endpoint endpoint) {
        record.tell(NodeFacts.LISTENER + listener, endpoint.toString());
        if (showMembers()) {
            listeners.forEach(Runnable::run);
        }
    }

    @Override
    public void onChange(Runnable listener) {
        listeners.add(listener);
    }

    @Override
    public void offChange(Runnable listener) {
        listeners.remove(listener);
    }

    /** Leaves the cluster, when all containers are closed. */
    @Override
    public void close() {
        closed.countDown();
        record.close();
        wake.release();
        nodes.close();
        owners.close();
        assigned.close();
        logTrials.close();
        tierTrials.close();
        try {
            controller.release();
            lease.leave();
        } catch (IOException e) {
            log.warn("Others see that this node has left when its lease runs out: {}", e.getMessage());
        }
    }
}
