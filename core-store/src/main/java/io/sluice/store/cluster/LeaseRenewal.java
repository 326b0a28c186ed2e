package io.sluice.store.cluster;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the leases of this process alive and says when one is lost. Renews each when a third of its time is gone, so that
 * two attempts may fail before the owner must stop.
 */
public final class LeaseRenewal implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(LeaseRenewal.class);

    private final Map<ContainerLease, Runnable> leases = new ConcurrentHashMap<>();
    private final Duration leaseDuration;
    private final InstantSource clock;
    private final CountDownLatch closed = new CountDownLatch(1);

    public LeaseRenewal(Duration leaseDuration, InstantSource clock) {
        this.leaseDuration = leaseDuration;
        this.clock = clock;
    }

    /** Runs {@link #doWork} until {@link #close}. */
    public void start(ThreadFactory threads) {
        threads.newThread(this::run).start();
    }

    /** @param lost called once, from the renewing thread, when the owner must stop serving; must not block for long */
    public void keep(ContainerLease lease, Runnable lost) {
        leases.put(lease, lost);
    }

    /** Forgets a lease that its owner is about to release. */
    public void drop(ContainerLease lease) {
        leases.remove(lease);
    }

    /** One turn; returns how many leases were renewed or lost. */
    public int doWork() {
        int done = 0;
        for (Map.Entry<ContainerLease, Runnable> entry : leases.entrySet()) {
            ContainerLease lease = entry.getKey();
            Duration left = Duration.between(clock.instant(), lease.expiresAt());
            if (left.compareTo(leaseDuration.multipliedBy(2).dividedBy(3)) <= 0) {
                renew(lease, entry.getValue());
                done++;
            }
        }
        return done;
    }

    private void renew(ContainerLease lease, Runnable lost) {
        boolean held;
        try {
            held = lease.renew(clock.instant());
        } catch (IOException e) {
            held = lease.held(clock.instant());
            log.warn("container {}: the lease was not renewed: {}", lease.container(), e.getMessage());
        }
        if (!held && leases.remove(lease) != null) {
            log.warn("container {}: the lease is lost, this process stops serving it", lease.container());
            lost.run();
        }
    }

    private void run() {
        long turn = Math.max(1, leaseDuration.toMillis() / 12);
        try {
            while (!closed.await(turn, TimeUnit.MILLISECONDS)) {
                doWork();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        closed.countDown();
    }
}
