package io.sluice.store.container;

/** Microseconds since the epoch that never go back: the monotonic clock, brought in line with the wall's once a second. */
final class LoopClock {
    private static final long ANCHOR_NANOS = 1_000_000_000;

    private long anchorNanos = System.nanoTime();
    private long anchorMicros = System.currentTimeMillis() * 1000;

    long micros() {
        long nanos = System.nanoTime();
        long micros = anchorMicros + (nanos - anchorNanos) / 1000;
        if (nanos - anchorNanos > ANCHOR_NANOS) {
            micros = Math.max(micros, System.currentTimeMillis() * 1000);
            anchorMicros = micros;
            anchorNanos = nanos;
        }
        return micros;
    }
}
