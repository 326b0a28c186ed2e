package io.sluice.server.containers;

import io.sluice.store.container.RecoveryTimes;
import java.time.Duration;

/**
 * How long it took to take a container over, and of that, its steps.
 *
 * @param lease getting the lease that was free
 * @param all from the attempt at the lease until other nodes were told that the container serves here
 */
public record TakeOver(Duration lease, RecoveryTimes recovery, Duration all) {
    @Override
    public String toString() {
        return "after " + all.toMillis() + " ms: lease " + lease.toMillis() + ", " + recovery;
    }
}
