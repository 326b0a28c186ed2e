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
 * <p>The lease keeps two nodes from fighting over a container; what makes it safe is the log's term and fencing. So clocks
 * that differ cost availability, never data. Blocking, any thread.
 */
public final class ContainerLease {
    private final Metadata metadata;
    private final int container;
    private final NodeIdentity holder;
    private final Duration duration;
    private final ReentrantLock lock = new ReentrantLock();
    private long version;
    private volatile Instant expiresAt;
    private volatile boolean over;

    private ContainerLease(
            Metadata metadata, int container, NodeIdentity holder, Duration duration, long version, Instant expiresAt) {
        this.metadata = metadata;
        this.container = container;
        this.holder = holder;
        this.duration = duration;
        this.version = version;
        this.expiresAt = expiresAt;
    }

    /** What came of an attempt. */
    public sealed interface Attempt {
        record Acquired(ContainerLease lease) implements Attempt {}

        /** Another node holds it; try again when it has expired. */
        record HeldBy(String nodeId, Instant expiresAt) implements Attempt {}
    }

    /** Takes the lease if it is free, expired, or held by an earlier process of the same node. */
    public static Attempt acquire(Metadata metadata, int container, NodeIdentity holder, Duration duration, Instant now)
            throws IOException {
        String path = path(container);
        Metadata.Versioned stored = metadata.get(path);
        if (stored != null) {
            LeaseRecord current = LeaseRecord.decode(stored.value());
            boolean ours = current.holder().nodeId().equals(holder.nodeId());
            if (!ours && now.isBefore(current.expiresAt())) {
                return new Attempt.HeldBy(current.holder().nodeId(), current.expiresAt());
            }
        }
        Instant expiresAt = now.plus(duration);
        try {
            byte[] record = new LeaseRecord(holder, expiresAt).encode();
            long version = metadata.put(path, record, stored == null ? Metadata.ABSENT : stored.version());
            return new Attempt.Acquired(new ContainerLease(metadata, container, holder, duration, version, expiresAt));
        } catch (Metadata.VersionMismatch anotherWasFirst) {
            return acquire(metadata, container, holder, duration, now);
        }
    }

    public int container() {
        return container;
    }

    /** False once the owner must not serve any more: expired, taken over or released. */
    public boolean held(Instant now) {
        return !over && now.isBefore(expiresAt);
    }

    public Instant expiresAt() {
        return expiresAt;
    }

    /**
     * Extends the lease by its duration from {@code now}.
     *
     * @return whether it is still held; false is for good
     * @throws IOException the metadata cannot be reached: the lease stays held until it expires, so try again
     */
    public boolean renew(Instant now) throws IOException {
        lock.lock();
        try {
            if (!held(now)) {
                over = true;
                return false;
            }
            Instant later = now.plus(duration);
            version = metadata.put(path(container), new LeaseRecord(holder, later).encode(), version);
            expiresAt = later;
            return true;
        } catch (Metadata.VersionMismatch e) {
            return refreshed();
        } finally {
            lock.unlock();
        }
    }

    /** The record moved: by an earlier renewal of ours whose answer was lost, or by another process. */
    private boolean refreshed() throws IOException {
        Metadata.Versioned stored = metadata.get(path(container));
        LeaseRecord current = stored == null ? null : LeaseRecord.decode(stored.value());
        if (stored == null || current == null || !current.holder().equals(holder)) {
            over = true;
            return false;
        }
        version = stored.version();
        expiresAt = current.expiresAt();
        return true;
    }

    /** Gives the container free at once; after a clean stop. A lease that is already lost stays as it is. */
    public void release() throws IOException {
        lock.lock();
        try {
            over = true;
            metadata.delete(path(container), version);
        } catch (Metadata.VersionMismatch somebodyElseHoldsIt) {
            return;
        } finally {
            lock.unlock();
        }
    }

    private static String path(int container) {
        return "/sluice/containers/" + container + "/lease";
    }
}
