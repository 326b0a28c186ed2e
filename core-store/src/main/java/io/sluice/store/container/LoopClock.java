package io.sluice.store.container;

import java.util.function.LongSupplier;

/**
 * Microseconds since the epoch that never go back: the monotonic clock, brought in line with the wall's.
 *
 * <p>The wall's clock may be set to any time, right or wrong. This one follows it by going up to twice as fast, or half as fast, as
 * time passes. So after a wrong time that lasted for an hour it is off by an hour at most, and by itself comes back.
 */
final class LoopClock {
    private static final long ANCHOR_NANOS = 1_000_000_000;

    private final LongSupplier nanos;
    private final LongSupplier wallMillis;
    private long anchorNanos;
    private long anchorMicros;
    /** By how much the wall was ahead at the anchor. */
    private long behind;

    LoopClock() {
        this(System::nanoTime, System::currentTimeMillis);
    }

    /** @param nanos of a clock that only rises */
    LoopClock(LongSupplier nanos, LongSupplier wallMillis) {
        this.nanos = nanos;
        this.wallMillis = wallMillis;
        this.anchorNanos = nanos.getAsLong();
        this.anchorMicros = wallMillis.getAsLong() * 1000;
    }

    long micros() {
        long now = nanos.getAsLong();
        long elapsed = (now - anchorNanos) / 1000;
        long micros = anchorMicros + elapsed + Math.clamp(behind, -elapsed / 2, elapsed);
        if (now - anchorNanos > ANCHOR_NANOS) {
            anchorMicros = micros;
            anchorNanos = now;
            behind = wallMillis.getAsLong() * 1000 - micros;
        }
        return micros;
    }
}
