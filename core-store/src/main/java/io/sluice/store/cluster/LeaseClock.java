package io.sluice.store.cluster;

import java.time.Duration;
import java.time.Instant;

/** The clocks of a lease: the time of day, which nodes compare, and elapsed time, which cannot be set. */
public interface LeaseClock {
    LeaseClock SYSTEM = new LeaseClock() {
        @Override
        public Instant now() {
            return Instant.now();
        }

        @Override
        public long nanos() {
            return System.nanoTime();
        }
    };

    Instant now();

    /** Nanoseconds since some moment; never goes back. */
    long nanos();

    /** Waits for as long. */
    default void pause(Duration time) throws InterruptedException {
        Thread.sleep(time);
    }
}
