package io.sluice.server.containers;

import io.sluice.store.cluster.LeaseClock;
import java.time.Duration;
import java.time.Instant;

/** The system's clocks, until they are stopped; going on, they are right again. */
final class StoppableClock implements LeaseClock {
    private long stoppedAt;
    private boolean stopped;

    synchronized void stop() {
        stoppedAt = nanos();
        stopped = true;
    }

    synchronized void goOn() {
        stopped = false;
    }

    @Override
    public synchronized long nanos() {
        return stopped ? stoppedAt : System.nanoTime();
    }

    @Override
    public synchronized Instant now() {
        return Instant.now().minus(Duration.ofNanos(System.nanoTime() - nanos()));
    }
}
