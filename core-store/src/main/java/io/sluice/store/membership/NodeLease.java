package io.sluice.store.membership;

import io.sluice.store.cluster.LeaseClock;
import io.sluice.store.cluster.Metadata;
import io.sluice.store.cluster.NodeIdentity;
import io.sluice.store.membership.NodeRecord.State;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The place of this process among the nodes: its record, and until when others take it for alive.
 *
 * <p>The lease ends here by elapsed time since the last write of the record <em>began</em>; for others by elapsed time since they
 * <em>saw</em> that write ({@link LiveNodes}), so never before it has ended here, whatever clocks say. A node whose lease has lapsed goes on
 * with the next write that succeeds, but what it held by the lease before is lost for good: see {@link #lapses}. Any thread; what
 * reaches the metadata blocks.
 */
public final class NodeLease {
    private final Metadata metadata;
    private final NodeIdentity self;
    private final Duration duration;
    private final LeaseClock clock;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile NodeRecord record;
    private long version;
    private Instant lastWrite;
    private volatile long endsAtNanos;
    private volatile int lapses;
    private volatile boolean over;

    private NodeLease(
            Metadata metadata,
            NodeIdentity self,
            LeaseClock clock,
            NodeRecord record,
            long version,
            Instant lastWrite,
            long endsAtNanos) {
        this.metadata = metadata;
        this.self = self;
        this.duration = record.lease();
        this.clock = clock;
        this.record = record;
        this.version = version;
        this.lastWrite = lastWrite;
        this.endsAtNanos = endsAtNanos;
    }

    /** Another process of the same node holds the lease. */
    public static final class NodeRuns extends Exception {
        private final transient NodeRecord record;

        NodeRuns(NodeRecord record) {
            super("another process of this node runs, incarnation " + record.incarnation());
            this.record = record;
        }

        public NodeRecord record() {
            return record;
        }
    }

    /**
     * Takes the node's place. If an earlier process of it has left its record without an end, waits until that one's lease has run out.
     *
     * @param duration of the lease
     * @throws NodeRuns the record is being renewed by another process
     */
    public static NodeLease register(
            Metadata metadata, NodeIdentity self, Duration duration, LeaseClock clock, Map<String, String> facts)
            throws IOException, InterruptedException, NodeRuns {
        var record = new NodeRecord(self.incarnation(), State.STARTING, duration, facts);
        Metadata.Versioned stored = metadata.get(path(self));
        if (stored != null) {
            stored = awaitEnd(metadata, self, clock, stored);
        }
        Instant now = clock.now();
        long began = clock.nanos();
        try {
            long version =
                    metadata.put(path(self), record.encode(), stored == null ? Metadata.ABSENT : stored.version());
            return new NodeLease(metadata, self, clock, record, version, now, began + duration.toNanos());
        } catch (Metadata.VersionMismatch anotherIsFirst) {
            return register(metadata, self, duration, clock, facts);
        }
    }

    private static Metadata.Versioned awaitEnd(
            Metadata metadata, NodeIdentity self, LeaseClock clock, Metadata.Versioned first)
            throws IOException, InterruptedException, NodeRuns {
        NodeRecord record = NodeRecord.decode(first.value());
        if (record.state() == State.DOWN || record.incarnation().equals(self.incarnation())) {
            return first;
        }
        long since = clock.nanos();
        while (true) {
            long asked = clock.nanos();
            Metadata.Versioned now = metadata.get(path(self));
            if (now == null || now.version() != first.version()) {
                throw new NodeRuns(now == null ? record : NodeRecord.decode(now.value()));
            }
            if (asked - since >= record.lease().toNanos()) {
                return now;
            }
            clock.pause(record.lease().dividedBy(10));
        }
    }

    public NodeIdentity self() {
        return self;
    }

    /** The record as it was written last, or is about to be. */
    public NodeRecord record() {
        return record;
    }

    /** Whether others take this process for alive. As cheap as reading a clock. */
    public boolean held() {
        return !over && clock.nanos() - endsAtNanos < 0;
    }

    /** How many times the lease had run out before it was renewed. What was held by it before such a time is not held any more. */
    public int lapses() {
        return lapses;
    }

    /** Changes the record from its next write on. */
    public void tell(State state, Map<String, String> facts) {
        lock.lock();
        try {
            record = new NodeRecord(self.incarnation(), state, duration, facts);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Renews the lease.
     *
     * @return false if another process has taken the node's place, for good
     * @throws IOException the metadata cannot be reached: try again
     */
    public boolean renew() throws IOException {
        lock.lock();
        try {
            if (over) {
                return false;
            }
            Instant now = clock.now();
            long began = clock.nanos();
            // Elapsed time stands still while a machine sleeps; the time of day does not.
            boolean slept = now.isAfter(lastWrite.plus(duration));
            version = metadata.put(path(self), record.encode(), version);
            if (slept || !held()) {
                lapses++;
            }
            lastWrite = now;
            endsAtNanos = began + duration.toNanos();
            return true;
        } catch (Metadata.VersionMismatch e) {
            return refreshed();
        } finally {
            lock.unlock();
        }
    }

    /** The record moved: by an earlier write of ours whose answer was lost, or by another process. */
    private boolean refreshed() throws IOException {
        Metadata.@Nullable Versioned stored = metadata.get(path(self));
        if (stored == null || !NodeRecord.decode(stored.value()).incarnation().equals(self.incarnation())) {
            over = true;
            return false;
        }
        version = stored.version();
        return true;
    }

    /** Ends the lease: others need not wait for it to run out. */
    public void leave() throws IOException {
        tell(State.DOWN, record.facts());
        try {
            renew();
        } finally {
            over = true;
        }
    }

    private static String path(NodeIdentity node) {
        return LiveNodes.ROOT + "/" + node.nodeId();
    }
}
