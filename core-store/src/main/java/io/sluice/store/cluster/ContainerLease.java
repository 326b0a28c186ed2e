package io.sluice.store.cluster;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The right to serve a container for a while.
 *
 * <pre>
 *   acquire ──► held ──(renew, before it expires)──► held ... ──► released
 *                 └──(expired, or taken by another process)──► lost: stop serving
 * </pre>
 *
 * <p>What keeps the data safe is the log's term and fencing; the lease keeps two nodes from fighting over a container, and
 * bounds reads: an owner that was cut off is not told of it by reads, so it answers them only while {@link #held}. By its own
 * elapsed time the lease ends before others may take it by the time of day in the record. So times of day that differ between
 * nodes cost availability, or reads that are late by the difference, never data. Any thread; what reaches the metadata blocks.
 */
public final class ContainerLease implements Lease {
    private final Metadata metadata;
    private final int container;
    private final NodeIdentity holder;
    private final Duration duration;
    private final LeaseClock clock;
    private final ReentrantLock lock = new ReentrantLock();
    private long version;
    private Span span;
    private volatile long endsAtNanos;
    private volatile boolean over;

    private ContainerLease(
            Metadata metadata, int container, NodeIdentity holder, Duration duration, LeaseClock clock, Span span) {
        this.metadata = metadata;
        this.container = container;
        this.holder = holder;
        this.duration = duration;
        this.clock = clock;
        this.span = span;
        this.endsAtNanos = span.endsAtNanos;
    }

    /** The same end by both clocks; made before the metadata is asked, so that what the answer takes counts. */
    private record Span(long endsAtNanos, Instant expiresAt) {
        static Span from(LeaseClock clock, Duration duration) {
            long endsAtNanos = clock.nanos() + duration.toNanos();
            return new Span(endsAtNanos, clock.now().plus(duration));
        }
    }

    /** Result of an attempt to take a lease. */
    public sealed interface Attempt {
        record Acquired(ContainerLease lease) implements Attempt {}

        /**
         * Another process holds it; try again when it has expired. One with the node id of the asker is an earlier process of the node, or
         * another that was given its id: the metadata cannot tell which.
         */
        record HeldBy(NodeIdentity holder, Instant expiresAt) implements Attempt {}
    }

    /**
     * Takes the lease if it is free or expired, and at once where nobody else can have the metadata open ({@link Metadata#isExclusive}): an
     * earlier process of the same node is dead there.
     */
    public static Attempt acquire(
            Metadata metadata, int container, NodeIdentity holder, Duration duration, LeaseClock clock)
            throws IOException {
        String path = path(container);
        Span span = Span.from(clock, duration);
        Metadata.Versioned stored = metadata.get(path);
        if (stored != null) {
            LeaseRecord current = LeaseRecord.decode(stored.value());
            boolean ownAndDead =
                    metadata.isExclusive() && current.holder().nodeId().equals(holder.nodeId());
            if (!ownAndDead && clock.now().isBefore(current.expiresAt())) {
                return new Attempt.HeldBy(current.holder(), current.expiresAt());
            }
        }
        try {
            var lease = new ContainerLease(metadata, container, holder, duration, clock, span);
            byte[] record = new LeaseRecord(holder, span.expiresAt).encode();
            lease.version = metadata.put(path, record, stored == null ? Metadata.ABSENT : stored.version());
            return new Attempt.Acquired(lease);
        } catch (Metadata.VersionMismatch anotherWasFirst) {
            return acquire(metadata, container, holder, duration, clock);
        }
    }

    @Override
    public String name() {
        return "container " + container;
    }

    @Override
    public boolean held() {
        return !over && clock.nanos() - endsAtNanos < 0;
    }

    @Override
    public Duration left() {
        return over ? Duration.ZERO : Duration.ofNanos(Math.max(0, endsAtNanos - clock.nanos()));
    }

    @Override
    public boolean renew() throws IOException {
        lock.lock();
        try {
            Span next = Span.from(clock, duration);
            // Elapsed time stands still while a machine sleeps; the time of day does not.
            if (!held() || !clock.now().isBefore(span.expiresAt)) {
                over = true;
                return false;
            }
            version = metadata.put(path(container), new LeaseRecord(holder, next.expiresAt).encode(), version);
            if (!held()) {
                // Too late: a reader was told so meanwhile.
                over = true;
                return false;
            }
            span = next;
            endsAtNanos = next.endsAtNanos;
            return held();
        } catch (Metadata.VersionMismatch e) {
            return refreshed();
        } finally {
            lock.unlock();
        }
    }

    /** The record moved: by an earlier renewal of ours whose answer was lost, or by another process. */
    private boolean refreshed() throws IOException {
        Metadata.Versioned stored = metadata.get(path(container));
        if (stored == null || !LeaseRecord.decode(stored.value()).holder().equals(holder)) {
            over = true;
            return false;
        }
        // The lease ends when it did; with this version the next renewal extends it.
        version = stored.version();
        return held();
    }

    /**
     * Gives the container free at once; after a clean stop. A lease that is already lost stays as it is. The record stays, expired: if it were
     * deleted, its versions would begin anew, and a process that believes it holds an earlier one could take that for its own.
     */
    @Override
    public void release() throws IOException {
        lock.lock();
        try {
            over = true;
            metadata.put(path(container), new LeaseRecord(holder, Instant.EPOCH).encode(), version);
        } catch (Metadata.VersionMismatch somebodyElseHoldsIt) {
            return;
        } finally {
            lock.unlock();
        }
    }

    /** Deletes what is stored of the lease of a container that is removed for good; nobody acquires it again. May be repeated. */
    public static void forget(Metadata metadata, int container) throws IOException {
        for (Metadata.Versioned stored = metadata.get(path(container));
                stored != null;
                stored = metadata.get(path(container))) {
            try {
                metadata.delete(path(container), stored.version());
            } catch (Metadata.VersionMismatch releasedMeanwhile) {
                continue;
            }
        }
    }

    /** Path of its record. */
    public static String path(int container) {
        return "/sluice/containers/" + container + "/lease";
    }
}
