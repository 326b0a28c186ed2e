package io.sluice.server.membership;

import io.sluice.server.containers.LogAttempts;
import io.sluice.server.containers.ServedContainers;
import io.sluice.store.cluster.LeaseClock;
import io.sluice.store.membership.LiveNodes;
import io.sluice.store.membership.LogReach;
import io.sluice.store.wal.Durability;
import io.sluice.store.wal.WalException;
import io.sluice.store.wal.WalStore;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tries the logs that are in doubt, here or at another node, and has the outcome told; see {@link LogReach}. */
final class LogTrials implements LogAttempts, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(LogTrials.class);
    /** A log that has not answered a trial by then is missed. */
    private static final Duration TRIAL = Duration.ofSeconds(2);

    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final String self;
    private final LiveNodes nodes;
    private final Consumer<Map<String, String>> tell;
    private final LogReach reach = new LogReach(LeaseClock.SYSTEM);
    private final Semaphore wake = new Semaphore(0);
    private Map<String, String> told = Map.of();
    private volatile boolean closed;

    /**
     * @param self id of this node
     * @param tell what other nodes are to know, of which empty values are nothing
     */
    LogTrials(String self, LiveNodes nodes, Consumer<Map<String, String>> tell) {
        this.self = self;
        this.nodes = nodes;
        this.tell = tell;
    }

    @Override
    public void failed(int container) {
        reach.failed(container);
        wake();
    }

    @Override
    public boolean mayOpen(int container) {
        return reach.mayOpen(container);
    }

    /** Looks whether another node misses a log. Any thread. */
    void wake() {
        wake.release();
    }

    void start(WalStore logs, ServedContainers containers) {
        Thread.ofVirtual().name("try-logs").start(() -> keepTrying(logs, containers));
    }

    private void keepTrying(WalStore logs, ServedContainers containers) {
        try {
            while (!closed) {
                wake.acquire();
                wake.drainPermits();
                while (!closed && tryDoubtful(logs, containers)) {
                    boolean ignored = wake.tryAcquire(PAUSE.toMillis(), TimeUnit.MILLISECONDS);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** @return whether anything is in doubt */
    private boolean tryDoubtful(WalStore logs, ServedContainers containers) {
        Set<Integer> asked = reach.inDoubt(containers.all(), missedElsewhere());
        try {
            Map<Integer, Durability> tried = new HashMap<>();
            asked.forEach(each -> tried.put(each, Durability.ofLevel(containers.level(each))));
            reach.tried(asked, asked.isEmpty() ? Set.of() : logs.reachable(tried, TRIAL));
            tell();
            if (!asked.isEmpty()) {
                containers.wake();
            }
        } catch (WalException | RuntimeException e) {
            log.info("Whether this node can write the log is not known: {}", e.toString());
        }
        return !asked.isEmpty();
    }

    private Set<Integer> missedElsewhere() {
        Set<Integer> missed = new TreeSet<>();
        for (LiveNodes.Node each : nodes.alive()) {
            if (!each.identity().nodeId().equals(self)) {
                missed.addAll(LogReach.told(each.record(), LogReach.MISSED));
            }
        }
        return missed;
    }

    private void tell() {
        Map<String, String> now = reach.facts();
        if (!now.equals(told)) {
            String missed = now.getOrDefault(LogReach.MISSED, "");
            if (!missed.equals(told.getOrDefault(LogReach.MISSED, ""))) {
                if (missed.isEmpty()) {
                    log.info("This node can write the logs of all containers again");
                } else {
                    log.warn(
                            "Too few bookies answer this node to write the logs of containers {}: it leaves them to nodes that can",
                            missed);
                }
            }
            told = now;
            tell.accept(now);
        }
    }

    @Override
    public void close() {
        closed = true;
        wake();
    }
}
