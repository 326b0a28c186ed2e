package io.sluice.store.membership;

import io.sluice.store.cluster.LeaseClock;
import io.sluice.store.cluster.Metadata;
import io.sluice.store.cluster.NodeIdentity;
import io.sluice.store.membership.NodeRecord.State;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which nodes are alive, as this process sees it: a node whose record has not been written for the time of its lease is dead. Measured by
 * this process's own elapsed time since it saw the last write. {@link #look} is for one thread; all else for any.
 */
public final class LiveNodes {
    static final String ROOT = "/sluice/nodes";

    private final Metadata metadata;
    private final LeaseClock clock;
    private volatile Map<String, Seen> seen = Map.of();
    private volatile boolean looked;

    public LiveNodes(Metadata metadata, LeaseClock clock) {
        this.metadata = metadata;
        this.clock = clock;
    }

    /**
     * A node.
     *
     * @param identity whose process wrote the record
     */
    public record Node(NodeIdentity identity, NodeRecord record) {}

    /**
     * A record as it was read.
     *
     * @param sinceNanos when this version was seen first
     * @param dead it was still this version when the lease had run out
     */
    private record Seen(Node node, long version, long sinceNanos, boolean dead) {
        boolean isAlive() {
            return !dead && node.record.state() != State.DOWN;
        }
    }

    /**
     * Reads all records; to be called a few times in the time of a lease.
     *
     * @return whether a node came, went, or says something else of itself
     */
    public boolean look() throws IOException {
        Map<String, Seen> before = seen;
        Map<String, Seen> now = new HashMap<>();
        for (String name : metadata.children(ROOT)) {
            long asked = clock.nanos();
            Metadata.Versioned stored = metadata.get(ROOT + "/" + name);
            if (stored != null) {
                now.put(name, seen(name, stored, asked, before.get(name)));
            }
        }
        seen = Map.copyOf(now);
        boolean changed = !looked || !alive(now).equals(alive(before));
        looked = true;
        return changed;
    }

    private Seen seen(String name, Metadata.Versioned stored, long asked, @Nullable Seen before) throws IOException {
        if (before != null && before.version == stored.version()) {
            long lease = before.node.record.lease().toNanos();
            return new Seen(
                    before.node, before.version, before.sinceNanos, before.dead || asked - before.sinceNanos >= lease);
        }
        NodeRecord record = NodeRecord.decode(stored.value());
        var identity = new NodeIdentity(name, record.incarnation());
        return new Seen(new Node(identity, record), stored.version(), clock.nanos(), false);
    }

    /** Nodes that are alive, by id. */
    public List<Node> alive() {
        return alive(seen);
    }

    private static List<Node> alive(Map<String, Seen> seen) {
        List<Node> alive = new ArrayList<>();
        seen.values().stream().filter(Seen::isAlive).forEach(each -> alive.add(each.node));
        alive.sort((a, b) -> a.identity.nodeId().compareTo(b.identity.nodeId()));
        return alive;
    }

    /** All that ever were, with whether they are alive; by id. */
    public Map<Node, Boolean> all() {
        Map<Node, Boolean> all = new HashMap<>();
        seen.values().forEach(each -> all.put(each.node, each.isAlive()));
        return all;
    }

    /**
     * Whether the process does not act any more by what it held until now: its lease had run out at the last look and was not renewed since, it
     * has left, or the node has another process. Reads the node's record: one that was dead may have come back, and hold things again. Blocks.
     */
    public boolean isDead(NodeIdentity process) throws IOException {
        Seen found = seen.get(process.nodeId());
        if (found != null && found.node.identity.equals(process) && found.isAlive()) {
            return false;
        }
        Metadata.Versioned stored = metadata.get(ROOT + "/" + process.nodeId());
        if (stored == null) {
            return true;
        }
        NodeRecord record = NodeRecord.decode(stored.value());
        return !record.incarnation().equals(process.incarnation())
                || record.state() == State.DOWN
                || found != null && found.dead && found.version == stored.version();
    }
}
