package io.sluice.store.membership;

import io.sluice.store.cluster.Lease;
import io.sluice.store.cluster.Leases.Attempt;
import io.sluice.store.cluster.Metadata;
import io.sluice.store.cluster.NodeIdentity;
import io.sluice.store.membership.HolderRecord.State;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A lease that lasts as long as its node's: one record for each thing that is held, written when it changes hands, and one renewal for all of
 * them ({@link NodeLease}).
 */
public final class NodeBoundLease implements Lease {
    private static final Duration AGAIN = Duration.ofMillis(200);
    /** It runs out with the node's lease, which is renewed elsewhere. */
    private static final Duration UNBOUND = Duration.ofDays(1);

    private final Metadata metadata;
    private final String name;
    private final String path;
    private final NodeLease node;
    private final int lapses;
    private final ReentrantLock lock = new ReentrantLock();
    private long version;
    private volatile boolean over;

    private NodeBoundLease(Metadata metadata, String name, String path, NodeLease node, int lapses, long version) {
        this.metadata = metadata;
        this.name = name;
        this.path = path;
        this.node = node;
        this.lapses = lapses;
        this.version = version;
    }

    /**
     * Takes what nobody holds, or what a dead process held; blocks.
     *
     * @param name of what is held, in the words of a log line
     * @param path of its record
     */
    public static Attempt acquire(Metadata metadata, String name, String path, NodeLease node, LiveNodes nodes)
            throws IOException {
        int lapses = node.lapses();
        if (!node.held()) {
            throw new IOException("others take this node for dead until it can write its own record again");
        }
        Metadata.Versioned stored = metadata.get(path);
        if (stored != null) {
            HolderRecord current = HolderRecord.decode(stored.value());
            NodeIdentity holder = current.holder();
            if (current.isHeld() && !holder.equals(node.self()) && !nodes.isDead(holder)) {
                return new Attempt.HeldBy(holder, "it is released", AGAIN);
            }
        }
        try {
            byte[] record = new HolderRecord(node.self(), State.HELD, HolderRecord.NO_TERM).encode();
            long version = metadata.put(path, record, stored == null ? Metadata.ABSENT : stored.version());
            return new Attempt.Acquired(new NodeBoundLease(metadata, name, path, node, lapses, version));
        } catch (Metadata.VersionMismatch anotherWasFirst) {
            return acquire(metadata, name, path, node, nodes);
        }
    }

    /**
     * Gives free what this process holds without knowing it: the answer to the write that took it, or to the one that released it, was lost.
     * Only while nothing of this process holds it or tries to; blocks.
     */
    public static void releaseUnknown(Metadata metadata, String path, NodeLease node) throws IOException {
        Metadata.Versioned stored = metadata.get(path);
        if (stored == null) {
            return;
        }
        HolderRecord current = HolderRecord.decode(stored.value());
        if (!current.isHeld() || !current.holder().equals(node.self())) {
            return;
        }
        try {
            byte[] free = new HolderRecord(node.self(), State.FREE, HolderRecord.NO_TERM).encode();
            metadata.put(path, free, stored.version());
        } catch (Metadata.VersionMismatch notHeldAnyMore) {
            return;
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public boolean held() {
        return !over && node.held() && node.lapses() == lapses;
    }

    @Override
    public Duration left() {
        return held() ? UNBOUND : Duration.ZERO;
    }

    @Override
    public boolean renew() {
        return held();
    }

    @Override
    public void tellServing(long term) throws IOException {
        change(new HolderRecord(node.self(), State.SERVING, term));
    }

    @Override
    public void release() throws IOException {
        over = true;
        change(new HolderRecord(node.self(), State.FREE, HolderRecord.NO_TERM));
    }

    private void change(HolderRecord to) throws IOException {
        lock.lock();
        try {
            version = metadata.put(path, to.encode(), version);
        } catch (Metadata.VersionMismatch e) {
            refresh();
        } finally {
            lock.unlock();
        }
    }

    /** The record moved: by a write of ours whose answer was lost, which said the same or is of no importance now; or it is another's. */
    private void refresh() throws IOException {
        Metadata.Versioned stored = metadata.get(path);
        if (stored == null || !HolderRecord.decode(stored.value()).holder().equals(node.self())) {
            over = true;
        } else {
            version = stored.version();
        }
    }
}
