package io.sluice.store.membership;

import io.sluice.store.cluster.Lease;
import io.sluice.store.cluster.LeaseClock;
import io.sluice.store.cluster.Leases.Attempt;
import io.sluice.store.cluster.Metadata;
import io.sluice.store.cluster.NodeIdentity;
import io.sluice.store.cluster.StoreLayout;
import io.sluice.store.membership.AssignmentPlan.Evening;
import io.sluice.store.membership.NodeRecord.State;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Assigns containers to nodes, in one process of the cluster at a time: whichever holds the controller's lease. Two at once, which a
 * slow process may bring about, cost moves, never data. One thread; blocks.
 */
public final class Controller {
    /** Fact of a node: {@code <container>=<bytes per second> ...}, of what it serves. */
    public static final String LOAD = "load";
    /** Fact of a node: where it stands. */
    public static final String RACK = "rack";

    private static final Logger log = LoggerFactory.getLogger(Controller.class);
    /** So that what a move has changed is in the figures before the next one. */
    private static final Duration BETWEEN_MOVES_OF_LOAD = Duration.ofSeconds(30);

    private static final String PATH = Assignment.ROOT + "/controller";

    private final Metadata metadata;
    private final NodeLease node;
    private final LiveNodes nodes;
    private final LeaseClock clock;
    private long changedAt;
    private volatile @Nullable NodeIdentity holder;
    private @Nullable Lease lease;

    public Controller(Metadata metadata, NodeLease node, LiveNodes nodes, LeaseClock clock) {
        this.clock = clock;
        this.changedAt = clock.nanos();
        this.metadata = metadata;
        this.node = node;
        this.nodes = nodes;
    }

    /** Process that was the controller at the last round; null if none is known. Any thread. */
    public @Nullable NodeIdentity holder() {
        return holder;
    }

    /**
     * Becomes the controller if there is none, and decides what there is to decide if it is this process.
     *
     * @param served whether a container is served by a node: nothing is evened out while one is on its way to the node that the
     *     assignment, as it is read here, names
     * @return whether this process is the controller
     */
    public boolean round(BiPredicate<Integer, String> served) throws IOException {
        if (!isController()) {
            return false;
        }
        StoreLayout layout = StoreLayout.read(metadata);
        if (layout == null) {
            return true;
        }
        Assignment.Stored stored = Assignment.read(metadata);
        Assignment current = stored.assignment();
        boolean settled = layout.containers().stream().allMatch(each -> {
            String assigned = current.nodeOf(each);
            return assigned != null && served.test(each, assigned);
        });
        Assignment next = AssignmentPlan.next(
                new TreeSet<>(layout.containers()),
                Set.copyOf(layout.leaving()),
                loads(),
                members(),
                current,
                evening(settled));
        if (!next.equals(current)) {
            write(current, next, stored.version());
        }
        return true;
    }

    private Evening evening(boolean settled) {
        if (!settled) {
            return Evening.NONE;
        }
        boolean longAgo = clock.nanos() - changedAt > BETWEEN_MOVES_OF_LOAD.toNanos();
        return longAgo ? Evening.BY_LOAD : Evening.BY_NUMBER;
    }

    private boolean isController() throws IOException {
        if (lease != null && lease.held()) {
            return true;
        }
        lease = null;
        if (!node.held() || node.record().state() == State.DRAINING) {
            return false;
        }
        Attempt attempt = NodeBoundLease.acquire(metadata, "the controller", PATH, node, nodes);
        if (attempt instanceof Attempt.HeldBy by) {
            holder = by.holder();
            return false;
        }
        lease = ((Attempt.Acquired) attempt).lease();
        holder = node.self();
        log.info("This node is the controller: it assigns containers to nodes");
        return true;
    }

    private void write(Assignment before, Assignment next, long version) throws IOException {
        try {
            next.write(metadata, version);
            changedAt = clock.nanos();
            List<String> changes = new ArrayList<>();
            next.nodes().forEach((container, to) -> {
                String from = before.nodeOf(container);
                if (!to.equals(from)) {
                    changes.add(container + " to " + to + (from == null ? "" : " from " + from));
                }
            });
            log.info("Containers are assigned: {}", String.join(", ", changes));
        } catch (Metadata.VersionMismatch anotherControllerWasFirst) {
            return;
        }
    }

    private List<AssignmentPlan.Member> members() {
        List<LiveNodes.Node> alive = nodes.alive();
        boolean someAreUp = alive.stream().anyMatch(Controller::isUp);
        boolean someReachTier =
                alive.stream().anyMatch(each -> isUp(each) && TierReach.told(each.record(), TierReach.REACHED));
        return alive.stream()
                .map(each -> new AssignmentPlan.Member(
                        each.identity().nodeId(),
                        each.record().facts().getOrDefault(RACK, ""),
                        takes(each.record().state(), someAreUp)
                                && !(someReachTier && TierReach.told(each.record(), TierReach.MISSED)),
                        LogReach.told(each.record(), LogReach.REACHED),
                        LogReach.told(each.record(), LogReach.MISSED)))
                .toList();
    }

    private static boolean isUp(LiveNodes.Node node) {
        return node.record().state() == State.UP;
    }

    private static boolean takes(State state, boolean someAreUp) {
        return state == State.UP || state == State.STARTING && !someAreUp;
    }

    private Map<Integer, Long> loads() {
        Map<Integer, Long> loads = new HashMap<>();
        for (LiveNodes.Node each : nodes.alive()) {
            for (String field : each.record().facts().getOrDefault(LOAD, "").split(" ", -1)) {
                String[] parts = field.split("=", -1);
                if (parts.length == 2) {
                    add(loads, parts[0], parts[1]);
                }
            }
        }
        return loads;
    }

    private static void add(Map<Integer, Long> loads, String container, String bytesPerSecond) {
        try {
            loads.merge(Integer.parseInt(container), Long.parseLong(bytesPerSecond), Math::max);
        } catch (NumberFormatException ofAnotherRelease) {
            return;
        }
    }

    /** Lets another process be the controller at once. */
    public void release() throws IOException {
        Lease held = lease;
        lease = null;
        if (held != null && held.held()) {
            held.release();
        }
    }
}
