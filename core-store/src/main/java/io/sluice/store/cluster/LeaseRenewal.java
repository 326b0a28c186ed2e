package io.sluice.store.cluster;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the leases of this process alive and says when one is lost. Renews each when a third of its time is gone, so that
 * two attempts may fail before the owner must stop. The owner is told in time also when the metadata does not answer at all.
 */
public final class LeaseRenewal implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(LeaseRenewal.class);

    private final Map<Lease, Kept> leases = new ConcurrentHashMap<>();
    private final Duration leaseDuration;
    private final Executor tasks;
    private final CountDownLatch closed = new CountDownLatch(1);

    /** @param tasks where renewals wait for the metadata; one per lease at a time */
    public LeaseRenewal(Duration leaseDuration, Executor tasks) {
        this.leaseDuration = leaseDuration;
        this.tasks = tasks;
    }

    /** @param renewing one renewal is under way */
    private record Kept(Runnable lost, AtomicBoolean renewing) {}

    /** Runs {@link #doWork} until {@link #close}. */
    public void start(ThreadFactory threads) {
        threads.newThread(this::run).start();
    }

    /** @param lost called once, when the owner must stop serving; must not block for long */
    public void keep(Lease lease, Runnable lost) {
        leases.put(lease, new Kept(lost, new AtomicBoolean()));
    }

    /** Forgets a lease that its owner is about to release. */
    public void drop(Lease lease) {
        leases.remove(lease);
    }

    /** One turn; returns how many renewals it started and how many leases it found lost. */
    public int doWork() {
        int done = 0;
        for (Map.Entry<Lease, Kept> entry : leases.entrySet()) {
            Lease lease = entry.getKey();
            Kept kept = entry.getValue();
            if (!lease.held()) {
                tellLost(lease, kept);
                done++;
            } else if (lease.left().compareTo(leaseDuration.multipliedBy(2).dividedBy(3)) <= 0
                    && kept.renewing.compareAndSet(false, true)) {
                startRenewal(lease, kept);
                done++;
            }
        }
        return done;
    }

    private void startRenewal(Lease lease, Kept kept) {
        try {
            tasks.execute(() -> renew(lease, kept));
        } catch (Throwable e) {
            kept.renewing.set(false);
            throw e;
        }
    }

    private void renew(Lease lease, Kept kept) {
        try {
            if (!lease.renew()) {
                tellLost(lease, kept);
            }
        } catch (IOException e) {
            log.warn("{}: the lease was not renewed: {}", lease.name(), e.getMessage());
        } catch (Throwable e) {
            // tried again while the lease lasts, and told when it has run out
            log.error("{}: the lease was not renewed", lease.name(), e);
        } finally {
            kept.renewing.set(false);
        }
    }

    private void tellLost(Lease lease, Kept kept) {
        if (leases.remove(lease) != null) {
            log.warn("{}: the lease is lost, this process stops serving it", lease.name());
            kept.lost.run();
        }
    }

    private void run() {
        long turn = Math.max(1, leaseDuration.toMillis() / 12);
        try {
            while (!closed.await(turn, TimeUnit.MILLISECONDS)) {
                guardedWork();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Catches everything: if this thread ended, no lost lease would be reported any more. */
    private void guardedWork() {
        try {
            doWork();
        } catch (Throwable e) {
            log.error("the leases were not looked after; they will be at the next turn", e);
        }
    }

    @Override
    public void close() {
        closed.countDown();
    }
}
