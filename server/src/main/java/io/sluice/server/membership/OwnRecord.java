package io.sluice.server.membership;

import io.sluice.store.membership.NodeLease;
import io.sluice.store.membership.NodeRecord.State;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Record of this node, which tells others that it lives, its state, and facts about it. A thread of its own renews it, which waits for
 * nothing else: others take what an unrenewed record's node serves. Any thread.
 */
final class OwnRecord implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(OwnRecord.class);

    private final NodeLease lease;
    private final Duration pause;
    private final Consumer<String> lost;
    private final Map<String, String> facts;
    private final Semaphore renewal = new Semaphore(0);
    private volatile boolean closed;
    /** The last renewal failed, and that was said. Owned by the thread. */
    private boolean unrenewed;

    /**
     * @param pause between two renewals, if there is nothing new to tell
     * @param lost told in one line when another process has taken the place of this one
     */
    OwnRecord(NodeLease lease, Duration pause, Consumer<String> lost) {
        this.lease = lease;
        this.pause = pause;
        this.lost = lost;
        this.facts = new HashMap<>(lease.record().facts());
    }

    void start() {
        Thread.ofPlatform().daemon().name("node-lease").start(this::run);
    }

    void tell(State state) {
        synchronized (facts) {
            lease.tell(state, facts);
        }
        renewal.release();
    }

    void tell(String fact, String value) {
        tell(Map.of(fact, value));
    }

    /** @param changed an empty value takes the fact away */
    void tell(Map<String, String> changed) {
        synchronized (facts) {
            facts.putAll(changed);
            facts.values().removeIf(String::isEmpty);
            lease.tell(lease.record().state(), facts);
        }
        renewal.release();
    }

    private void run() {
        try {
            while (!closed) {
                renew();
                boolean ignored = renewal.tryAcquire(pause.toMillis(), TimeUnit.MILLISECONDS);
                renewal.drainPermits();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void renew() {
        try {
            boolean renewed = lease.renew();
            if (renewed && unrenewed) {
                log.info("The record of this node is renewed again");
                unrenewed = false;
            }
            if (!renewed && !closed) {
                lost.accept("another process has taken the place of "
                        + lease.self().nodeId() + ": give each server a cluster.nodeId of its own");
            }
        } catch (IOException | RuntimeException e) {
            if (!unrenewed) {
                log.warn("The record of this node cannot be renewed until further notice: {}", e.getMessage());
            }
            unrenewed = true;
        }
    }

    /** Renews it no more. */
    @Override
    public void close() {
        closed = true;
        renewal.release();
    }
}
