package io.sluice.store.pressure;

/**
 * How long writers wait between bursts, from how full things are. Pure.
 *
 * <pre>
 *   delay                              ┌ closed
 *   most ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ │
 *                                    ╱ │
 *      0 ────────────────────────── ╱  │
 *        0                       begin 1   fill
 * </pre>
 *
 * <p>The fuller of cache and log decides; their delays are not added. There is no memory: when the cause goes, so does
 * the delay, whoever is waiting.
 */
public final class Pressure {
    /** Instead of a delay: no append may be taken until there is room. */
    public static final long CLOSED = Long.MAX_VALUE;

    private final PressureConfig config;

    public Pressure(PressureConfig config) {
        this.config = config;
    }

    /** Microseconds to wait after each burst of appends; 0 for none, or {@link #CLOSED}. */
    public long delayMicros(double cacheFill, double logFill) {
        double fill = Math.max(cacheFill, logFill);
        if (fill >= 1) {
            return CLOSED;
        }
        double over = (fill - config.beginAt()) / (1 - config.beginAt());
        return over <= 0 ? 0 : (long) (over * over * config.mostDelayMicros());
    }

    /** How urgent flushing is: 0 when nothing waits for it, 1 where writers begin to be slowed, above that beyond. */
    public double flushPressure(double cacheFill, double logFill) {
        return Math.max(0, Math.max(cacheFill, logFill)) / config.beginAt();
    }

    /**
     * The part of the cache that holds bytes nothing else holds.
     *
     * @param room bytes that appends can still take
     * @param reserve part of the room that is kept for the append that is let in last
     * @return 1 and above when another append might not find room
     */
    public static double cacheFill(long capacity, long room, long reserve) {
        return room <= reserve ? 1 : (double) (capacity - room) / (capacity - reserve);
    }

    /** The part of the log that may be kept which is kept. */
    public static double logFill(long logBytes, long limit) {
        return (double) logBytes / limit;
    }
}
