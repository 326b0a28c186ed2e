package io.sluice.store.cluster;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;

/** Leases of containers for one process. Any thread; blocks. */
public interface Leases {
    /** Result of an attempt to take a lease. */
    sealed interface Attempt {
        record Acquired(Lease lease) implements Attempt {}

        /**
         * Another process holds it.
         *
         * @param until in the words of a log line
         * @param again when to try again, unless the holder gives it free before
         */
        record HeldBy(NodeIdentity holder, String until, Duration again) implements Attempt {}
    }

    Attempt acquire(int container) throws IOException;

    /** Leases that run out by the time of day in their records, each renewed for itself: for a store that one process has. */
    static Leases timed(Metadata metadata, NodeIdentity self, Duration duration, LeaseClock clock) {
        return container -> switch (ContainerLease.acquire(metadata, container, self, duration, clock)) {
            case ContainerLease.Attempt.Acquired(ContainerLease lease) -> new Attempt.Acquired(lease);
            case ContainerLease.Attempt.HeldBy(NodeIdentity holder, Instant until) ->
                new Attempt.HeldBy(
                        holder,
                        until.toString(),
                        Duration.between(clock.now(), until).plusMillis(1));
        };
    }
}
