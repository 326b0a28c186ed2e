package io.sluice.server.cluster;

import io.sluice.server.cluster.ClusterStatus.Container;
import io.sluice.server.cluster.ClusterStatus.Node;
import io.sluice.server.cluster.ClusterStatus.Tier;
import io.sluice.server.membership.NodeFacts;
import io.sluice.server.version.Version;
import io.sluice.store.cluster.LeaseClock;
import io.sluice.store.cluster.Metadata;
import io.sluice.store.cluster.StoreLayout;
import io.sluice.store.membership.ContainerOwners;
import io.sluice.store.membership.Controller;
import io.sluice.store.membership.LiveNodes;
import io.sluice.store.membership.LogReach;
import io.sluice.store.membership.TierReach;
import io.sluice.store.wal.bookkeeper.ReachableBookies;
import io.sluice.store.wal.bookkeeper.RegisteredBookie;
import io.sluice.store.wal.bookkeeper.StoredChain;
import io.sluice.tiering.objectstore.ObjectStore;
import io.sluice.tiering.objectstore.ObjectStoreException;
import io.sluice.tiering.objectstore.OwnerMark;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Looks at a cluster, whose nodes may run, and changes nothing. */
public final class ReadStatus {
    private static final Duration TIER = Duration.ofSeconds(20);
    private static final Duration LONGEST_LEASE = Duration.ofSeconds(10);

    private final Metadata metadata;
    private final ObjectStore objects;
    private final String bucket;
    private final LeaseClock clock;

    /** @param bucket name of the place that {@code objects} are in */
    public ReadStatus(Metadata metadata, ObjectStore objects, String bucket, LeaseClock clock) {
        this.metadata = metadata;
        this.clock = clock;
        this.objects = objects;
        this.bucket = bucket;
    }

    /**
     * Takes as long as the slowest of the stores, half a minute at most.
     *
     * @throws IOException the metadata cannot be read
     */
    public ClusterStatus read() throws IOException, InterruptedException {
        try (LiveNodes live = new LiveNodes(metadata, clock, () -> {})) {
            return read(live);
        }
    }

    private ClusterStatus read(LiveNodes live) throws IOException, InterruptedException {
        var tier = new FutureTask<>(this::owner);
        Thread.ofVirtual().name("look-at-tier").start(tier);
        live.look();
        long seen = clock.nanos();
        StoreLayout layout = StoreLayout.read(metadata);
        List<RegisteredBookie> bookies = RegisteredBookie.read(metadata);
        Map<String, String> unreachable = ReachableBookies.failures(bookies);
        awaitLeases(live, seen);
        List<Container> containers = new ArrayList<>();
        if (layout != null) {
            for (StoreLayout.Member each : layout.all()) {
                containers.add(container(each, live));
            }
        }
        return new ClusterStatus(
                layout == null ? null : layout.clusterId(),
                Version.number(),
                nodes(live),
                containers,
                bookies,
                unreachable,
                RegisteredBookie.underReplicatedLedgers(metadata, ClusterStatus.MOST_LEDGERS),
                joined(tier));
    }

    /**
     * A node that is dead looks alive until its record has not changed for the time of its lease.
     *
     * @param seen when the first look at all records had ended
     */
    private void awaitLeases(LiveNodes live, long seen) throws IOException, InterruptedException {
        long longest = 0;
        for (LiveNodes.Node each : live.alive()) {
            longest = Math.max(longest, each.record().lease().toNanos());
        }
        if (longest > 0) {
            long left = Math.min(longest, LONGEST_LEASE.toNanos()) - (clock.nanos() - seen);
            clock.pause(Duration.ofNanos(Math.max(0, left)));
            live.look();
        }
    }

    private static List<Node> nodes(LiveNodes live) {
        List<Node> nodes = new ArrayList<>();
        live.all().forEach((node, alive) -> {
            Map<String, String> endpoints = new TreeMap<>();
            NodeFacts.node(node).endpoints().forEach((listener, at) -> endpoints.put(listener, at.toString()));
            String says = node.record().state().name().toLowerCase(Locale.ROOT);
            nodes.add(new Node(
                    node.identity().nodeId(),
                    node.identity().incarnation(),
                    node.record().facts().getOrDefault(NodeFacts.VERSION, "unknown"),
                    node.record().facts().getOrDefault(Controller.RACK, ""),
                    alive || says.equals(Node.DOWN) ? says : Node.DEAD,
                    endpoints,
                    alive ? List.copyOf(LogReach.told(node.record(), LogReach.MISSED)) : List.of(),
                    alive && TierReach.told(node.record(), TierReach.MISSED)));
        });
        nodes.sort(Comparator.comparing(Node::id));
        return nodes;
    }

    private Container container(StoreLayout.Member member, LiveNodes live) throws IOException {
        ContainerOwners.Owner owner = ContainerOwners.read(metadata, member.id());
        boolean held = owner != null && !live.isDead(owner.process());
        StoredChain chain = StoredChain.read(metadata, member.id());
        return new Container(
                member.id(),
                owner == null || !held ? null : owner.process().nodeId(),
                owner != null && owner.serving(),
                chain == null ? 0 : chain.term(),
                member.level(),
                member.leaving());
    }

    private @Nullable String owner() throws ObjectStoreException {
        return OwnerMark.owner(objects);
    }

    private Tier joined(FutureTask<@Nullable String> owner) throws InterruptedException {
        try {
            return new Tier(bucket, owner.get(TIER.toSeconds(), TimeUnit.SECONDS), null);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            return new Tier(bucket, null, cause.getMessage() == null ? cause.toString() : cause.getMessage());
        } catch (TimeoutException e) {
            return new Tier(bucket, null, "no answer within " + TIER.toSeconds() + " seconds");
        }
    }
}
