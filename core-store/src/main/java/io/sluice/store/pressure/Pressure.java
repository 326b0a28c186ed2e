package io.sluice.store.pressure;

/**
 * How long writers wait per MiB they append, from how full things are. Pure.
 *
 * <pre>
 *   delay                              ┌ closed
 *   most ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ │
 *                                    ╱ │    (logarithmic: so much more fill is so many times the delay)
 *                                  ╱   │
 *   least ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ╱      │
 *      0 ──────────────────────┤       │
 *        0                   begin     1   fill
 * </pre>
 *
 * <p>The fullest of lag, cache and log decides; their delays are not added. As the delay is proportional to itself, writers
 * come to rest at any speed of long-term storage between {@code 1 MiB / least} and {@code 1 MiB / most}, each at its own
 * fill, with the same small share of change in speed for the same change of fill. There is no memory: when the cause goes, so
 * does the delay, whoever is waiting. Writes in flight are a window, which closes and opens within a write's time: nobody is
 * slowed before it is full.
 */
public final class Pressure {
    /** Instead of a delay: no append may be taken until there is room. */
    public static final long CLOSED = Long.MAX_VALUE;

    private static final double AMPLE = 0.75;

    private final PressureConfig config;

    public Pressure(PressureConfig config) {
        this.config = config;
    }

    /**
     * Microseconds to wait per MiB appended; 0 for none, or {@link #CLOSED}.
     *
     * @param now decides whether there is room
     * @param steady decides how long to wait: {@code now} without the steps in which room comes back, see {@link SteadyLevel}
     */
    public long delayMicros(Fill now, Fill steady) {
        if (now.full()) {
            return CLOSED;
        }
        double over = Math.max(
                over(Math.max(steady.lag(), steady.cache()), config.beginAt()),
                over(steady.log(), config.logBeginAt()));
        if (over <= 0) {
            return 0;
        }
        double range = (double) config.mostDelayMicros() / config.leastDelayMicros();
        return (long) (config.leastDelayMicros() * Math.pow(range, Math.min(over, 1)));
    }

    /** So far below where delays begin that room need not be handed out steadily: its cause must have gone. */
    public boolean ample(double fill) {
        return fill < AMPLE * config.beginAt();
    }

    private static double over(double fill, double begin) {
        return (fill - begin) / (1 - begin);
    }

    /** How urgent flushing is: 0 when nothing waits for it, 1 where writers begin to be slowed, above that beyond. */
    public double flushPressure(Fill now) {
        return Math.max(0, now.waiting()) / config.beginAt();
    }

    /**
     * The part of the cache that holds bytes nothing else holds.
     *
     * @param room bytes that appends can still take
     * @param reserve part of the room that is kept for the append that is let in last
     * @return 1 and above when another append might not find room
     */
    public static double cacheFill(long capacity, double room, long reserve) {
        return room <= reserve ? 1 : (capacity - room) / (capacity - reserve);
    }
}
