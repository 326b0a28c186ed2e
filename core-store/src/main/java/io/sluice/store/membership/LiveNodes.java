package io.sluice.store.membership;

import io.sluice.store.cluster.LeaseClock;
import io.sluice.store.cluster.Metadata;
import io.sluice.store.cluster.NodeIdentity;
import io.sluice.store.membership.NodeRecord.State;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Which nodes are alive, as this process sees it: a node whose record has not been written for the time of its lease is dead. Measured by
 * this process's own elapsed time since it saw the last write, of which the metadata tells. {@link #look} and {@link #readAll} are for one
 * thread; all else for any.
 */
public final class LiveNodes implements AutoCloseable {
    static final String ROOT = "/sluice/nodes";

    private final Metadata metadata;
    private final LeaseClock clock;
    private final Set<String> told = ConcurrentHashMap.newKeySet();
    private final Metadata.Watch watch;
    private volatile Map<String, Seen> seen = Map.of();
    private volatile boolean looked;

    /** @param wake called when {@link #look} should be called soon; must not block */
    public LiveNodes(Metadata metadata, LeaseClock clock, Runnable wake) {
        this.metadata = metadata;
        this.clock = clock;
        watch = metadata.watch(ROOT, new Metadata.Watcher() {
            @Override
            public void changed(String path) {
                told.add(path.substring(ROOT.length() + 1));
                wake.run();
            }

            @Override
            public void missed() {
                told.addAll(seen.keySet());
                wake.run();
            }
        });
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
     * @param readNanos before it was read last
     * @param dead it was still this version when the lease had run out
     */
    private record Seen(Node node, long version, long sinceNanos, long readNanos, boolean dead) {
        boolean isAlive() {
            return !dead && node.record.state() != State.DOWN;
        }

        long lease() {
            return node.record.lease().toNanos();
        }

        /** Whether the metadata has told nothing of it for longer than its node takes to renew it: it may not tell at all. */
        boolean isOld(long now) {
            return now - readNanos >= lease() / 4;
        }

        boolean endsBy(long now) {
            return isAlive() && now - sinceNanos >= lease();
        }
    }

    /**
     * Reads records that are new or that nothing was heard of for a while; to be called a few times in the time of a lease.
     *
     * @return whether a node came, went, or says something else of itself
     */
    public boolean readAll() throws IOException {
        Set<String> names = new TreeSet<>(metadata.children(ROOT));
        Set<String> gone = new HashSet<>(seen.keySet());
        gone.removeAll(names);
        long now = clock.nanos();
        names.removeIf(name -> {
            Seen before = seen.get(name);
            return before != null && !told.contains(name) && !before.isOld(now) && !before.endsBy(now);
        });
        return read(names, gone);
    }

    /** Reads records that were written, and those of nodes whose lease may have run out. */
    public boolean look() throws IOException {
        if (!looked) {
            return readAll();
        }
        Set<String> names = new TreeSet<>(told);
        long now = clock.nanos();
        seen.forEach((name, each) -> {
            if (each.endsBy(now)) {
                names.add(name);
            }
        });
        return !names.isEmpty() && read(names, Set.of());
    }

    private boolean read(Set<String> names, Set<String> gone) throws IOException {
        Map<String, Seen> before = seen;
        Map<String, Seen> now = new HashMap<>(before);
        now.keySet().removeAll(gone);
        told.removeAll(names);
        try {
            List<String> ordered = List.copyOf(names);
            long asked = clock.nanos();
            List<Metadata.@Nullable Versioned> stored = metadata.getAll(
                    ordered.stream().map(name -> ROOT + "/" + name).toList());
            for (int each = 0; each < ordered.size(); each++) {
                String name = ordered.get(each);
                Metadata.Versioned found = stored.get(each);
                if (found == null) {
                    now.remove(name);
                } else {
                    now.put(name, seen(name, found, asked, before.get(name)));
                }
            }
        } catch (IOException | RuntimeException e) {
            told.addAll(names);
            throw e;
        }
        seen = Map.copyOf(now);
        boolean changed = !looked || !alive(now).equals(alive(before));
        looked = true;
        return changed;
    }

    private Seen seen(String name, Metadata.Versioned stored, long asked, @Nullable Seen before) throws IOException {
        if (before != null && before.version == stored.version()) {
            return new Seen(
                    before.node,
                    before.version,
                    before.sinceNanos,
                    asked,
                    before.dead || asked - before.sinceNanos >= before.lease());
        }
        NodeRecord record = NodeRecord.decode(stored.value());
        var identity = new NodeIdentity(name, record.incarnation());
        return new Seen(new Node(identity, record), stored.version(), clock.nanos(), asked, false);
    }

    /** How long until the first node is dead if it does not renew its lease; {@link #look} should be called then. */
    public Duration untilNextEnd() {
        long now = clock.nanos();
        long least = Long.MAX_VALUE;
        for (Seen each : seen.values()) {
            if (each.isAlive()) {
                least = Math.min(least, Math.max(0, each.sinceNanos + each.lease() - now));
            }
        }
        return Duration.ofNanos(least);
    }

    /**
     * Whether this process has heard nothing of a node that it knows since then.
     *
     * @param since in time of {@link LeaseClock#nanos}
     */
    public boolean isQuietSince(String node, long since) {
        Seen found = seen.get(node);
        return found != null && since - found.sinceNanos > 0;
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

    @Override
    public void close() {
        watch.close();
    }
}
